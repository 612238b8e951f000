import InputMerge
import RoomSimulation
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomEngine

/// What jumps teach of how long a player flies, and when a disk has it.
@Suite("Airtimes are kept now and then")
struct AirtimeTests {
    /// Stands, pushes off, flies, lands, stands; in g, each of 10 ms.
    private static let hop: [(force: Float, count: Int)] = [(1, 60), (2.5, 15), (0.1, 39), (3, 6), (1, 40)]

    @Test("What jumps teach is known at once and kept within 10 s, however many they are, or as the room closes")
    func jumpsAreKept() throws {
        var house = EngineHouse(RoomConfiguration(seats: 1, policy: .open))
        let joined = house.join(1)
        var hopper = try #require(joined)
        house.outputs = []
        for _ in 0..<3 { try house.hears(Self.hop, of: &hopper) }
        #expect(house.kept.isEmpty && house.engine.standingTalents.map(\.talents.airtimes.count) == [3])
        try house.hears([(1, 700)], of: &hopper)
        #expect(house.kept == [EngineHouse.id(1): [3]])
        // Nothing new: nothing to be kept.
        try house.hears([(1, 1_100)], of: &hopper)
        #expect(house.kept == [EngineHouse.id(1): [3]])
        try house.hears(Self.hop, of: &hopper)
        let due = house.engine.airtimesDue
        #expect(due > house.now && due <= house.now + .seconds(10))
        house.engine.handle(.close(backIn: nil), at: house.now, cipher: ToyCipher())
        house.turn()
        #expect(house.kept == [EngineHouse.id(1): [3, 4]])
    }

    @Test("Whoever jumped and left is kept no more, and who has the seat then is")
    func leavers() throws {
        var house = EngineHouse(RoomConfiguration(seats: 1, policy: .open))
        house.outputs = []
        for number: UInt64 in 1...3 {
            let joined = house.join(number)
            var hopper = try #require(joined)
            try house.hears(Self.hop, of: &hopper)
            #expect(house.engine.load.allSatisfy { $0.count <= $0.most })
            if number < 3 { house.receive(hopper.goodbye(at: house.now)) }
            house.turn()
        }
        house.now = house.now + .seconds(11)
        house.turn()
        #expect(house.kept == [EngineHouse.id(3): [1]])
    }
}
