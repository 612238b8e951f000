import Foundation
import Testing
import WireProtocol

@Suite("Call messages")
struct CallMessageTests {
    private func read(_ json: String) throws -> CallMessage {
        try JSONDecoder().decode(CallMessage.self, from: Data(json.utf8))
    }

    @Test("Every message says again what it said")
    func examples() throws {
        let refusal = Refusal(.declined, message: "Not now.", retryAfter: 30_000)
        let offer = RoomOffer(
            offer: "00112233445566aa", controller: String(repeating: "0f", count: 16),
            room: String(repeating: "00", count: 16), pin: String(repeating: "60", count: 32), name: "Living Room",
            game: "keepcalm", port: 7_777, addresses: ["192.168.1.5:7777"], seat: 2, context: "00",
            ticket: String(repeating: "40", count: 32), timeout: 120_000)
        let all: [CallMessage] = [
            .pad(ControllerGreeting(controller: offer.controller, name: "Blue", haptics: true)), .offer(offer),
            .waiting(Waiting(timeout: 1)), .accepted, .joined, .refused(refusal), .withdrawn(refusal),
        ]
        for message in all {
            let written = try JSONEncoder().encode(message)
            #expect(try JSONDecoder().decode(CallMessage.self, from: written) == message)
            #expect(written.count <= CallMessage.longestLine && !written.contains(UInt8(ascii: "\n")))
        }
    }

    @Test("The longest offer that can be made fits a line, whatever its texts must be escaped to")
    func longest() throws {
        let address = "[" + String(repeating: "ffff:", count: 7) + "ffff%25]:65535"
        let offer = RoomOffer(
            offer: "00112233445566aa", controller: String(repeating: "0f", count: 16),
            room: String(repeating: "00", count: 16), pin: String(repeating: "60", count: 32),
            name: String(repeating: "\"", count: 63), game: String(repeating: "x", count: 62), port: 65_535,
            addresses: [String](repeating: address, count: 8), seat: 10_000,
            context: String(repeating: "00", count: 1_024), ticket: String(repeating: "40", count: 32),
            timeout: 600_000)
        #expect(try JSONEncoder().encode(CallMessage.offer(offer)).count <= CallMessage.longestLine)
    }

    @Test("A field of a later version is ignored, a type of a later version is named, and nonsense is an error")
    func others() throws {
        #expect(try read(#"{"type":"accepted","mood":"fine"}"#) == .accepted)
        #expect(try read(#"{"type":"sing"}"#) == .unrecognised(type: "sing"))
        for json in ["", "{}", "[]", #"{"type":7}"#, #"{"type":"offer"}"#, #"{"type":"pad","v":"1"}"#] {
            #expect(throws: (any Error).self) { try read(json) }
        }
    }

    @Test(
        "Every example in the document's section on calls is a message that is understood, and says again what it said")
    func document() throws {
        let url = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Documentation/WIRE-FORMAT.md")
        let text = try String(contentsOf: url, encoding: .utf8)
        let section = try #require(text.components(separatedBy: "## 15. Calling a controller").last)
        let blocks = section.components(separatedBy: "```json\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
        let inline = section.components(separatedBy: "`{").dropFirst().map {
            "{" + $0.components(separatedBy: "}`")[0] + "}"
        }
        var types: Set<String> = []
        for example in blocks + inline {
            // "and so on" stands in one.
            guard !example.contains("…") else { continue }
            let message = try read(example)
            let fields = try JSONSerialization.jsonObject(with: Data(example.utf8)) as? NSDictionary
            #expect(try JSONSerialization.jsonObject(with: JSONEncoder().encode(message)) as? NSDictionary == fields)
            types.insert(message.type)
        }
        #expect(types == ["pad", "offer", "waiting", "accepted", "joined", "refused"])
    }
}
