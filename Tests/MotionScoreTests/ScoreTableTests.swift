import MotionScore
import Testing

@Suite("Score tables and reports")
struct ScoreTableTests {
    private let table = ScoreTable(text: "rec,t_ms,ax,ay,az\r\na,0,1,2,3\na,10,,5\nb,0,7,8,9,extra\n")

    @Test("Rows are as wide as the header; what is missing or no number reads NaN")
    func ragged() throws {
        #expect(table.rowCount == 3)
        #expect(table.number(1, "ax").isNaN)
        #expect(table.number(1, "az").isNaN)
        #expect(table.number(0, "none").isNaN)
        #expect(table.vector(2, try #require(table.axes("a"))) == SIMD3(7, 8, 9))
        #expect(table.axes("g") == nil)
        #expect(table.has("rec", "ay") && !table.has("rec", "gx"))
    }

    @Test("The recordings of a file are its runs of rows with one name")
    func groups() {
        #expect(table.groups(by: "rec").map(\.name) == ["a", "b"])
        #expect(table.groups(by: "rec").map(\.rows) == [0..<2, 2..<3])
    }

    @Test("A line meets its aim by less or by more, as it says")
    func aims() {
        #expect(ScoreLine(set: "", measure: "", unit: "", value: 1, aim: 2).meetsAim == true)
        #expect(ScoreLine(set: "", measure: "", unit: "", value: 1, aim: 2, isLessBetter: false).meetsAim == false)
        #expect(ScoreLine(set: "", measure: "", unit: "", value: 1).meetsAim == nil)
    }
}
