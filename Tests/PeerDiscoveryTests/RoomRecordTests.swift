import PeerDiscovery
import Testing
import WireProtocol

@Suite("A room's TXT record")
struct RoomRecordTests {
    private static let full = RoomRecord(
        id: roomID(7), protocolVersion: .max,
        game: GameLabel(String(repeating: "g", count: 62)), freeSeats: .max, totalSeats: .max, policy: .code,
        pin: Pin(bytes: Array(0..<32)), isLocked: true)

    @Test("Everything that a room tells survives the record, and the fullest record stays small")
    func roundTrip() throws {
        let strings = Self.full.strings
        #expect(try RoomRecord(strings: strings) == Self.full)
        #expect(strings.allSatisfy { $0.count <= 255 })
        #expect(strings.reduce(0) { $0 + $1.count + 1 } <= 300)
    }

    @Test("The record reads as documented, txtvers first, and leaves out what is not known")
    func strings() {
        var record = RoomRecord(
            id: roomID(15), protocolVersion: 1, game: GameLabel("KeepCalm"), freeSeats: 3, totalSeats: 4,
            policy: .ask)
        let told = [
            "txtvers=1", "v=1", "id=0000000000000000000000000000000f", "game=keepcalm", "free=3", "seats=4",
            "policy=ask",
        ]
        #expect(record.strings.map { String(decoding: $0, as: UTF8.self) } == told)
        record.isLocked = true
        #expect(record.strings.map { String(decoding: $0, as: UTF8.self) } == told + ["locked=1"])
    }

    @Test("Of a repeated key the first counts, even if it makes no sense; keys know no case (RFC 6763, 6.4)")
    func repeated() throws {
        let record = try RoomRecord(strings: text("ID=\(hex32)", "id=\(otherHex32)", "seats", "seats=4", "=7", "x=y"))
        #expect(record == RoomRecord(id: try #require(RoomID(hex32))))
    }

    @Test(
        "A value that makes no sense is taken as absent",
        arguments: [
            "v=70000", "v=-1", "v=+1", "v= 1", "v=", "free=4", "seats=999999999999999999999999", "policy=OPEN",
            "pin=00", "pin=\(hex32)-\(hex32)", "locked=true", "game=a", "game=-ab", "game=a b", "seats=٣",
        ])
    func nonsense(_ pair: String) throws {
        let record = try RoomRecord(strings: text("txtvers=1", "id=\(hex32)", pair, "seats=3"))
        #expect(record.strings.count <= 3)
        #expect(record.freeSeats == nil && record.policy == nil && record.pin == nil && record.game == nil)
        #expect(!record.isLocked)
    }

    @Test("A record that is none of ours is rejected with the reason")
    func rejected() {
        #expect(throws: RecordRejection.noRoomID) { try RoomRecord(strings: []) }
        #expect(throws: RecordRejection.noRoomID) { try RoomRecord(strings: text("id=\(hex32)0")) }
        #expect(throws: RecordRejection.noRoomID) { try RoomRecord(strings: text("id=\(hex32.dropLast())g")) }
        #expect(throws: RecordRejection.unknownLayout) { try RoomRecord(strings: text("txtvers=2", "id=\(hex32)")) }
        #expect(throws: RecordRejection.oversize) {
            try RoomRecord(
                strings: text("id=\(hex32)") + Array(repeating: [UInt8](repeating: 61, count: 255), count: 6))
        }
    }

    @Test("Random and mutated bytes never trap, and whatever is read can be written and read again", arguments: 0..<20)
    func fuzz(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<500 {
            var strings = Self.full.strings
            for _ in 0..<Int.random(in: 0...6, using: &random) { mutate(&strings, using: &random) }
            guard let record = try? RoomRecord(strings: strings) else { continue }
            #expect(try RoomRecord(strings: record.strings) == record, "seed \(seed)")
        }
    }

    private func mutate(_ strings: inout [[UInt8]], using random: inout SplitMix64) {
        guard let row = strings.indices.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            strings[row] = (0..<Int.random(in: 0...300, using: &random)).map { _ in .random(in: 0...255, using: &random)
            }
        case 1: strings.swapAt(row, 0)
        case 2: strings.remove(at: row)
        default:
            guard let column = strings[row].indices.randomElement(using: &random) else { return }
            strings[row][column] = .random(in: 0...255, using: &random)
        }
    }
}

let hex32 = "00112233445566778899aabbccddeeff"
let otherHex32 = "ffeeddccbbaa99887766554433221100"

func text(_ strings: String...) -> [[UInt8]] { strings.map { Array($0.utf8) } }
