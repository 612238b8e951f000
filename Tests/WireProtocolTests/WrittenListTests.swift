import Testing
import WireProtocol

@Suite("Lists as people write them")
struct WrittenListTests {
    @Test("Spaces around a comma, or none, make no difference, nor does a comma too many")
    func spaces() {
        for text in ["jump,taught:a leap,tap", "jump, taught:a leap , tap", " jump ,\ttaught:a leap,, tap,\n"] {
            #expect(text.listed == ["jump", "taught:a leap", "tap"])
        }
        #expect("".listed.isEmpty && " , ".listed.isEmpty)
        #expect(" a b ".trimmed == "a b" && "  ".trimmed.isEmpty)
    }
}
