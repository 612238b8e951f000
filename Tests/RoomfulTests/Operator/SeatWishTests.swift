import Foundation
import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomRecords

@Suite("What another host of the site says of whom it sends")
struct SeatWishTests {
    private let controller = String(repeating: "0f", count: 16)
    private let hash = String(repeating: "01", count: 32)

    private func terms(_ change: (inout [String: Any]) -> Void) throws -> Result<(MovingPlayer?, Int?), RoomError> {
        var wish: [String: Any] = [
            "controller": controller, "ticketHash": hash, "timeout": 30_000, "seat": 3,
            "player": [
                "name": "Ann", "color": 0x0072B2,
                "talents": ["sensitivity": 1.5, "gestures": [], "airtimes": ["differences": [12.5]]],
            ],
        ]
        change(&wish)
        let read = try JSONDecoder().decode(SeatWish.self, from: JSONSerialization.data(withJSONObject: wish))
        do {
            let terms = try read.terms(numbered: OfferID(rawValue: 7))
            #expect(terms.id == OfferID(rawValue: 7) && terms.ticketHash == Array(repeating: 1, count: 32))
            return .success((terms.player, terms.seat))
        } catch { return .failure(error) }
    }

    private func player(_ change: (inout [String: Any]) -> Void) -> (inout [String: Any]) -> Void {
        var player: [String: Any] = ["name": "Ann", "color": 1, "talents": ["sensitivity": 1, "gestures": []]]
        change(&player)
        return { [player] in $0["player"] = player }
    }

    @Test("A wish that makes sense becomes the engine's terms as they were said")
    func sense() throws {
        let (player, seat) = try terms { _ in }.get()
        #expect(player == MovingPlayer(name: "Ann", color: 0x0072B2) && seat == 3)
        #expect(try terms { $0["player"] = nil }.get().0 == nil, "a guest of the lobby is nobody yet")
    }

    @Test("What no controller is, no ticket hashes to, and no player brings is refused in words")
    func nonsense() throws {
        let odd: [(inout [String: Any]) -> Void] = [
            { $0["controller"] = "0f" }, { $0["ticketHash"] = "01" }, { $0["timeout"] = 999 },
            { $0["timeout"] = 1e308 },
            { $0["timeout"] = -1e308 },
            player { $0["name"] = String(repeating: "é", count: 32) },
            player { $0["talents"] = ["sensitivity": 1e308, "gestures": []] },
        ]
        for (number, change) in odd.enumerated() {
            guard case .failure(let error) = try terms(change) else {
                Issue.record("\(number) was taken")
                continue
            }
            #expect(error.code == .badOption && !error.message.isEmpty)
        }
        // 63 bytes are a name.
        #expect(throws: Never.self) {
            try terms(player { $0["name"] = String(repeating: "é", count: 31) + "e" }).get()
        }
    }
}
