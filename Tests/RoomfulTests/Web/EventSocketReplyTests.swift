import Foundation
import RoomRecords
import Testing

@testable import WebFront

struct EventSocketReplyTests {
    private func mark(_ id: String) throws -> EventSocketReply.Mark {
        try JSONDecoder().decode(EventSocketReply.Mark.self, from: Data("{\"id\":\(id)}".utf8))
    }

    @Test(
        "An answer bears the id of its command as it came",
        arguments: ["7", "-1", "0.5", "\"4c5b1f5e-0a7e-4d4e-9f0e-6a2f4b1d9c33\"", "\"7\"", "\"\""])
    func bornAsItCame(id: String) throws {
        let known = try mark(id).id
        let answer = try JSONEncoder().encode(EventSocketReply(OperatorReply(), id: known))
        #expect(String(decoding: answer, as: UTF8.self).contains("\"id\":\(id)"))
    }

    @Test("What is neither a number nor a short text is no id, and none is none")
    func unusable() throws {
        for id in ["true", "[1]", "{}", "\"\(String(repeating: "ä", count: 65))\""] {
            #expect(throws: DecodingError.self) { try mark(id) }
        }
        let none = try mark("null").id
        #expect(none == nil)
    }
}
