import Testing
import WireProtocol

@Suite("SplitMix64")
struct SplitMix64Tests {
    @Test("The numbers are those of the published generator: seeds that are written down mean the same for ever")
    func published() {
        var random = SplitMix64(seed: 1_234_567)
        let drawn = (0..<5).map { _ in random.next() }
        #expect(
            drawn == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ])
    }
}
