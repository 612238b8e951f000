import Foundation
import Testing
import WireProtocol

@Suite("Control messages")
struct ControlMessageTests {
    private func read(_ json: String) throws -> ControlMessage {
        try JSONDecoder().decode(ControlMessage.self, from: Data(json.utf8))
    }

    @Test("Every example in the document is a message that is understood, and says again what it said")
    func examples() throws {
        let url = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Documentation/WIRE-FORMAT.md")
        // Calls have messages of their own: CallMessageTests.
        let document = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "## 15. ")[0]
        // Blocks of JSON, and objects that stand in the text.
        let blocks = document.components(separatedBy: "```json\n").dropFirst().map { text in
            text.components(separatedBy: "\n```")[0]
        }
        let inline = document.components(separatedBy: "`{").dropFirst().map {
            "{" + $0.components(separatedBy: "}`")[0] + "}"
        }
        var types: Set<String> = []
        for example in blocks + inline {
            let message = try read(example)
            let written = try JSONEncoder().encode(message)
            #expect(try JSONDecoder().decode(ControlMessage.self, from: written) == message)
            let fields = try JSONSerialization.jsonObject(with: Data(example.utf8)) as? NSDictionary
            #expect(try JSONSerialization.jsonObject(with: written) as? NSDictionary == fields)
            types.insert(fields?["type"] as? String ?? "")
        }
        #expect(
            types == [
                "hello", "invite", "waiting", "seated", "refused", "status", "goodbye", "sensor", "renamed", "buttons",
                "recording", "offer", "unknown",
            ])
    }

    @Test("A field of a later version is ignored, and a type of a later version is named")
    func laterVersions() throws {
        #expect(try read(#"{"type":"status","lastSent":4,"mood":"fine"}"#) == .status(LinkStatus(lastSent: 4)))
        #expect(try read(#"{"type":"teleport","to":"there"}"#) == .unrecognised(type: "teleport"))
        let long = String(repeating: "x", count: 10_000)
        #expect(try read(#"{"type":"\#(long)"}"#) == .unrecognised(type: String(repeating: "x", count: 64)))
    }

    @Test(
        "What is no message is an error, never a trap",
        arguments: [
            "", "{}", "[]", "null", #"{"type":7}"#, #"{"type":"status"}"#, #"{"type":"status","lastSent":-1}"#,
            #"{"type":"status","lastSent":4294967296}"#, #"{"type":"status","lastSent":1.5}"#,
            #"{"type":"invite","v":1}"#, #"{"type":"waiting","timeout":1e300}"#,
        ])
    func noMessages(json: String) {
        #expect(throws: (any Error).self) { try self.read(json) }
    }

    @Test(
        "What cannot be read is told by its field, as it stands on the wire",
        arguments: [
            ("[]", ControlMessageTests.unplaced),
            ("not json", ControlMessageTests.unplaced),
            ("{}", "type is missing."), (#"{"type":7}"#, "type cannot be read."),
            (#"{"type":"status"}"#, "lastSent is missing."), (#"{"type":"invite"}"#, "v is missing."),
            (#"{"type":"invite","v":"2"}"#, "v cannot be read."),
            (#"{"type":"status","lastSent":-1}"#, ControlMessageTests.unplaced),
            (ControlMessageTests.invitation(stream: "0"), "haptics is missing."),
            (ControlMessageTests.invitation(stream: "256"), ControlMessageTests.unplaced),
            (ControlMessageTests.invitation(stream: #""0""#), "streams[0].stream cannot be read."),
            (ControlMessageTests.invitation(stream: "null"), "streams[0].stream is missing."),
        ])
    func unreadable(json: String, words: String) {
        do {
            let message = try read(json)
            Issue.record("read as \(message)")
        } catch {
            #expect(ControlMessage.problem(reading: error) == words)
        }
    }

    private static let unplaced =
        "That is no control message of this version, or a number in it is beyond what its field holds."

    private static func invitation(stream: String) -> String {
        #"{"type":"invite","v":1,"controller":"","process":"","name":"","streams":[{"stream":"#
            + stream
            + #","measures":[],"accelerationRange":1,"rotationRange":1,"rate":1}]}"#
    }

    @Test("A declaration survives its trip through JSON", arguments: (UInt8(1)...63).filter { $0 & 39 != 0 })
    func declarations(measures: UInt8) throws {
        let declaration = StreamDeclaration(
            stream: measures, measures: Sample.Measures(rawValue: measures), accelerationRange: 40, rotationRange: 0.1,
            nominalRate: 4_000, sensorLatency: .milliseconds(7), maximumDepth: measures & 32 == 0 ? 6 : 40)
        let json = try JSONEncoder().encode(StreamOffer(declaration))
        let offer = try JSONDecoder().decode(StreamOffer.self, from: json)
        #expect(try offer.declaration().get() == declaration)
    }

    @Test("A stream that cannot be used is refused in words")
    func badOffers() throws {
        func problem(_ change: (inout StreamOffer) -> Void) -> String? {
            var offer = StreamOffer(StreamDeclaration())
            change(&offer)
            if case .failure(let error) = offer.declaration() { return error.problem }
            return nil
        }
        #expect(problem { _ in } == nil)
        #expect(problem { $0.measures = ["telepathy"] } != nil)
        #expect(problem { $0.measures = [] } != nil)
        #expect(problem { $0.measures = ["buttons", "battery"] } != nil)
        #expect(problem { $0.measures = ["submersion"] } == nil)
        for bad in [0, -1, 1e300, .nan, .infinity, -.infinity] {
            #expect(problem { $0.accelerationRange = bad } != nil)
            #expect(problem { $0.rotationRange = bad } != nil)
            #expect(problem { $0.rate = bad } != nil)
            #expect(problem { $0.maximumDepth = bad } != nil)
            #expect(bad == 0 || problem { $0.latency = bad } != nil)
        }
    }
}
