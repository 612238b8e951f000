import Testing

@testable import RoomSimulation

/// What sixty joinings take this host is more than the second after which a link counts as silent.
@Suite("When returns bring on returns")
struct RejoinStormTests {
    /// Joinings of each in the time in which the host has something to catch up with, and in half as long again.
    private func stops(_ room: inout StarvedRoom) -> (first: [Int], second: [Int]) {
        room.run(for: .seconds(5))
        #expect(room.live == 60 && room.epochs.allSatisfy { $0 == 1 })
        room.run(for: .seconds(4), isStopped: true)
        room.run(for: .seconds(60))
        let first = room.epochs
        room.run(for: .seconds(30))
        return (first, zip(room.epochs, first).map { $0 - $1 })
    }

    @Test(
        "A starved host that stood still once has its sixty controllers back within a few joinings each, and true books",
        arguments: [1, 2] as [UInt64])
    func starvedHost(seed: UInt64) throws {
        var room = try StarvedRoom(60, rate: 5, StarvedRoom.Costs(), seed: seed)
        let (first, second) = stops(&room)
        #expect(first.allSatisfy { $0 <= 4 }, "\(first)")
        #expect(second.allSatisfy { $0 == 0 }, "they come and go still: \(second)")
        #expect(room.live == 60 && room.lost.isEmpty)
        #expect(room.differences == [])
    }

    /// Their attempts pile up at the host: most of what it does is for those who have given up and begun anew.
    @Test("Controllers that forget how often they came back keep such a host busy: so the storm is one")
    func forgetful() throws {
        var room = try StarvedRoom(60, rate: 5, StarvedRoom.Costs(), seed: 1, isForgetful: true)
        let (first, second) = stops(&room)
        #expect(room.live < 60 || second.contains { $0 > 0 }, "\(first), then \(second)")
    }
}
