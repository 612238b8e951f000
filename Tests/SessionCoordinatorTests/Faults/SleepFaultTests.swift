import InputMerge
import LinkEmulation
import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("A device that sleeps, and one behind a narrow network")
struct SleepFaultTests {
    @Test("After ten minutes of sleep a buffer moves nobody: the seat is gone, one who left, and it comes in anew: P4")
    func sleep() throws {
        var room = SimulatedRoom(
            1, try NetworkConditions(parsing: "delay=5ms"), seed: 4, merging: MergeConfiguration())
        room.joinAll()
        room.run(for: .seconds(3))
        // The last second is never acknowledged: the program holds it while it sleeps.
        room.pads[0].isUp = false
        room.run(for: .seconds(1))
        let asleep = room.pads[0]
        room.pads[0].joinsAgain = false
        room.pads[0].nextSampleAt = nil
        room.run(for: .seconds(600))
        #expect(room.host.playerStates.filter { $0 == .left }.count == 1)
        let (takenBefore, strangersBefore) = (room.host.sink.taken.count, room.host.coordinator.strangers)

        let woke = room.now
        room.pads[0] = asleep
        room.pads[0].isUp = true
        room.pads[0].joinsAgain = false
        // Its sensor goes on with what it reads now.
        room.pads[0].nextSampleAt = woke
        room.run(for: .seconds(2))
        #expect(room.host.sink.taken.count == takenBefore, "nobody's samples reached the merge")
        #expect(room.host.coordinator.strangers.unknown > strangersBefore.unknown)
        #expect(room.host.coordinator.strangers.badAuth == strangersBefore.badAuth)

        room.pads[0].joinsAgain = true
        room.run(for: .seconds(3))
        let report = try #require(room.host.report(of: room.pads[0].guest))
        #expect(report.seatState == .active && report.seat == 1)
        #expect(report.samples.delivered > 150)
        // What was read before the seat was given is nobody's motion.
        let joinings = room.host.occurrences.filter {
            if case .player(let change) = $0.what { change.state == .joined } else { false }
        }
        let seatedAt = try #require(joinings.last?.at)
        let old = room.pads[0].appended.filter { $0.at < seatedAt - .milliseconds(10) }.map(\.sampledAt)
        let all = zip(room.host.sink.taken, room.host.sink.sampledAt)
        let delivered = all.dropFirst(takenBefore).filter { $0.0.verdict == .delivered }
        #expect(Set(delivered.map(\.1)).isDisjoint(with: old))
        #expect(room.host.playerStates.filter { $0 == .joined }.count == 2)
    }

    @Test(
        "Behind 200 kbit/s with 64 KiB of queue messages arrive in order, once, and nothing is kept without an end: N9")
    func bottleneck() throws {
        var room = SimulatedRoom(
            2, try NetworkConditions(parsing: "delay=10ms"), seed: 9, interval: 1_000_000)
        room.pads[0].conditions = try NetworkConditions(parsing: "delay=10ms,rate=200kbit,queue=64KiB")
        room.joinAll()
        room.run(for: .seconds(1))
        let peer = try #require(room.host.report(of: room.pads[0].guest)?.peer)
        var (sentAt, arrivedAt): ([HostTime], [HostTime]) = ([], [])
        for step in 0..<3_000 {
            if step % 10 == 0, step < 2_000 {
                let isTaken = room.host.coordinator.send(.application([UInt8(step / 10)]), to: peer)
                #expect(isTaken)
                sentAt.append(room.now)
            }
            room.run(for: .milliseconds(10))
            while arrivedAt.count < room.pads[0].messages.count { arrivedAt.append(room.now) }
            let waiting = room.host.coordinator.peers.read(peer) { $0.messages.outbox.count } ?? 0
            #expect(waiting <= 256)
        }
        #expect(room.pads[0].messages == (0..<200).map { [UInt8($0)] })
        // 64 KiB at 200 kbit/s are 2.62 s each way: a message waits in one queue, at the worst, and once more when it was
        // thrown away.
        let longest = zip(sentAt, arrivedAt).map { $1 - $0 }.max() ?? .zero
        #expect(longest < .milliseconds(2 * 2_622 + 100), "\(longest)")
        // The narrow one is the only one who suffers.
        let other = try #require(room.host.report(of: room.pads[1].guest))
        #expect(other.samples.late == 0 && other.samples.missing == 0 && other.samples.abandoned == 0)
        room.drain(.seconds(12))
        #expect(room.differences == [])
    }

    @Test("A device's clock that stood still while it slept is no delay once that is known")
    func sleptClock() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        var (asleep, probes): (Int64, [UInt16]) = (0, [])
        func play(until end: Double) {
            while room.now < .s(end) {
                room.pass(to: room.now + .milliseconds(20))
                for sent in room.outgoing {
                    pad.read(sent.bytes) { _, payload in
                        for case .probe(let id) in payload.blocks { probes.append(id) }
                    }
                }
                room.outgoing = []
                let device = room.now.nanoseconds - asleep
                let sent = pad.datagram(sentAt: device) { writer in
                    for id in probes {
                        _ = writer.writeProbeAnswer(id: id, receivedAt: DeviceTime(nanoseconds: device))
                    }
                }
                probes = []
                room.receive(sent, from: pad.address)
            }
        }
        play(until: 15)
        asleep = 8_000_000_000
        room.pass(to: .s(20))
        play(until: 25)
        let report = try #require(room.report(of: Guest(1)))
        #expect(report.queueing < 1_000_000, "\(report.queueing) ns")
    }
}
