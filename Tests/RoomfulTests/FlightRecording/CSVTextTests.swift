import Foundation
import Testing

@testable import RecordingExports
@testable import RoomRecords
@testable import RoomfulCLI

@Suite("Texts of strangers in tables for spreadsheets")
struct CSVTextTests {
    @Test(
        "A text is between quotes, and what a spreadsheet would take for a formula has an apostrophe before it",
        arguments: [
            ("Blue", "\"Blue\""), ("", "\"\""), ("a \"b\", c", "\"a \"\"b\"\", c\""), ("a-b=c", "\"a-b=c\""),
            ("=1+1", "\"'=1+1\""), ("+1", "\"'+1\""), ("-1", "\"'-1\""), ("@A1", "\"'@A1\""), ("＝1", "\"'＝1\""),
            // One character for Swift, and a formula's sign for a spreadsheet.
            ("=\u{200D}1", "\"'=\u{200D}1\""), ("=\u{301}1", "\"'=\u{301}1\""), ("\u{200B} \t=1", "\"\u{200B} \t'=1\""),
            ("\u{FEFF}=1", "\"\u{FEFF}'=1\""), ("a;=1;b", "\"a;'=1;b\""), ("a; \"=1", "\"a; \"\"'=1\""),
            ("a;b-c", "\"a;b-c\""), ("\r\n=1", "\"\r\n'=1\""), ("\"\u{301}", "\"\"\"\u{301}\""),
        ])
    func cell(_ text: String, _ cell: String) {
        #expect(Array(csvText(text).unicodeScalars) == Array(cell.unicodeScalars))
    }

    @Test("JSON in a cell says the same to a parser, and no semicolon separates it")
    func json() throws {
        for name in ["Anna, \"Q\"; -2", "a;=1", ";\u{301}-1", "\\;+1"] {
            let object = String(decoding: try JSONEncoder().encode(["name": name]), as: UTF8.self)
            let cell = csvText(json: object)
            #expect(!cell.unicodeScalars.contains(";") && !cell.contains("'"))
            let read = cell.dropFirst().dropLast().replacingOccurrences(of: "\"\"", with: "\"")
            let told = try JSONDecoder().decode([String: String].self, from: Data(read.utf8))
            #expect(told == ["name": name])
        }
    }

    @Test("Names in peers --latency --csv and in an export are such cells")
    func tables() throws {
        let name = "=HYPERLINK(\"http://evil.example\")\u{200D};=1"
        let cell = "\"'=HYPERLINK(\"\"http://evil.example\"\")\u{200D};'=1\""
        let answered: [String: Any] = ["name": name, "player": 1, "frames": [["sentAtNs": 1, "arrivedAtNs": 3]]]
        let peer = try JSONDecoder().decode(
            PeerLatency.self, from: JSONSerialization.data(withJSONObject: answered))
        #expect(LatencyTable.csv([peer]) == "player,name,sent_ns,arrived_ns,transit_ns\n1,\(cell),1,3,\n")

        let folder = TemporaryFolder()
        var sink = try CSVSink(folder.path)
        let table = try #require(ExportTable.all.first)
        try sink.add([.text(name), .integer(-1), .nothing], to: table)
        try sink.finish()
        let lines = try #require(folder.content("\(table.name).csv")).components(separatedBy: "\r\n")
        #expect(lines.dropFirst().first == "\(cell),-1,")
    }
}
