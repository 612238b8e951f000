import InputMerge
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomEngine

/// What is read beforehand makes no difference: whoever is named, and whatever has become of them.
@Suite("What datagrams will need is read beforehand")
struct PrefetchTests {
    /// An evening of three, one of whom goes and is followed by another; before each datagram these are looked up.
    private static func evening(_ peers: [PeerIndex]) throws -> (outputs: [String], standing: [String]) {
        var house = EngineHouse(RoomConfiguration(seats: 3, policy: .open))
        var guests: [SilentGuest] = []
        for number: UInt64 in 1...3 {
            let joined = house.join(number)
            guests.append(try #require(joined))
        }
        func play() throws {
            for step in 0..<150 {
                for place in guests.indices {
                    try guests[place].append(at: house.now, force: step % 50 < 15 ? 2.5 : 0.1)
                    if !peers.isEmpty { _ = house.engine.prefetch(peers) }
                    house.receive(guests[place].datagram(at: house.now))
                }
                house.turn()
            }
        }
        try play()
        house.receive(guests[1].goodbye(at: house.now))
        house.turn()
        _ = house.engine.prefetch(peers)
        let joined = house.join(4)
        guests[1] = try #require(joined)
        try play()
        let standing = house.ask(.peers(nil, minute: true))
        return (house.outputs.map { "\($0)" }, ["\(try #require(standing))"])
    }

    @Test("An evening is the same, to the last word, whoever is looked up: those there, those gone, and nobody")
    func sameEvening() throws {
        let plain = try Self.evening([])
        #expect(plain.outputs.contains { $0.contains("jump") })
        for peers in [[0, 1, 2], [2, 0, 1, 1, 3, 65_535]] {
            let looked = try Self.evening(peers)
            #expect(looked.outputs == plain.outputs && looked.standing == plain.standing)
        }
    }

    @Test("An empty room has nothing to read")
    func nobody() {
        let configuration = EngineConfiguration(room: RoomConfiguration())
        var engine = Engine(configuration: configuration, now: HostTime(nanoseconds: 0))
        #expect(engine.prefetch([0, 1, 65_535]) == 0)
        #expect(engine.prefetch([]) == 0)
    }
}
