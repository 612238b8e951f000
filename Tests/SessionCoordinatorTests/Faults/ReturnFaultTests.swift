import ControllerSession
import InputMerge
import LinkEmulation
import RoomSimulation
import SessionCoordinator
import Testing
import WireProtocol

@Suite("Faults: a controller's program starts anew, and its clock with it")
struct ReturnFaultTests {
    /// A pause of this long between a program's death and its successor's invitation.
    private static let away: ClosedRange<Int64> = 1_000_000...9_000_000_000

    /// One push of the hand, 30 ms of 40 m/s², from the given sample on.
    private static func push(at sample: Int) -> @Sendable (Int) -> (SIMD3<Float>, SIMD3<Float>) {
        { number in ((sample..<sample + 3).contains(number) ? SIMD3(0, -40, 9.81) : SIMD3(0, 0, 9.81), .zero) }
    }

    /// A clock of any offset: seconds or centuries before or after the one before, now and then the same.
    private static func anyClock(after clock: SimulatedClock, _ random: inout SeededGenerator) -> SimulatedClock {
        let magnitude = Int64(1) << Int64(random.next() % 62)
        let step = random.next() % 8 == 0 ? 0 : random.next() % 2 == 0 ? magnitude : -magnitude
        return SimulatedClock(
            offset: max(-(1 << 61), min(1 << 61, clock.offset &+ step)), drift: (random.fraction() * 2 - 1) * 0.0002)
    }

    @Test(
        "Whenever a program comes back, and whatever its clock says then, its first sample counts, a gesture 2 s later is told at its time, and the ledgers are true over all its lives",
        arguments: Soak.seeds(12, soaking: 334))
    func everyReturn(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let networks = ["delay=2ms", "delay=20±15ms,loss=5%", "delay=60±20ms,reorder=10%,dup=5%"]
        let network = networks[Int(random.next() % 3)]
        let merging = MergeConfiguration(holdback: .milliseconds(250), gestures: [.keepCalmJump])
        var room = SimulatedRoom(1, try NetworkConditions(parsing: network), seed: seed, merging: merging)
        room.joinAll()
        var told = 0
        for life in 1...3 {
            room.run(for: .nanoseconds(Int64(random.next() % 20_000_000_000)))
            room.pads[0].nextSampleAt = nil
            room.run(for: .nanoseconds(Self.away.lowerBound + Int64(random.next() % UInt64(Self.away.upperBound))))
            let clock = Self.anyClock(after: room.pads[0].clock, &random)
            room.pads[0].startAnew(clock, now: room.now)
            room.pads[0].motion = Self.push(at: 200)
            let before = room.host.sink.taken.count
            room.join(0)
            room.pads[0].nextSampleAt = room.now + .milliseconds(10)
            let began = room.now
            room.run(for: .seconds(4))

            let fresh = room.host.sink.taken[before...]
            #expect(fresh.first?.verdict == .delivered, "seed \(seed), life \(life)")
            #expect(fresh.count { $0.verdict == .late } == 0, "seed \(seed), life \(life)")
            let gestures = room.host.sink.gestures[told...].filter { $0.phase == .began && $0.occurredAt > began }
            #expect(gestures.count == 1, "seed \(seed), life \(life)")
            told = room.host.sink.gestures.count
            if let gesture = gestures.first {
                let truth = room.pads[0].appended[200].at
                // Half a sample period is in the uncertainty besides the clock's.
                let uncertainty = try #require(gesture.uncertaintyNanoseconds, "seed \(seed), life \(life)")
                let error = abs((gesture.occurredAt - truth).wholeNanoseconds)
                #expect(error <= uncertainty, "seed \(seed), life \(life): \(error) ns")
            }
            #expect(room.host.playerStates.last != .left, "seed \(seed)")
        }
        room.drain()
        #expect(room.differences == [], "seed \(seed)")
    }

    @Test(
        "A clock that leaps ahead while its program runs costs no sample more than those that were on their way",
        arguments: [1, 2, 60, 86_400] as [Int64], Soak.seeds(5))
    func clockLeaps(seconds: Int64, seed: UInt64) throws {
        let network = try NetworkConditions(parsing: "delay=10±5ms,loss=2%")
        let merging = MergeConfiguration(holdback: .milliseconds(250), gestures: [.keepCalmJump])
        var room = SimulatedRoom(1, network, seed: seed, merging: merging)
        room.joinAll()
        room.run(for: .seconds(5))
        let before = room.host.sink.taken.count
        room.pads[0].clock.offset += seconds * 1_000_000_000
        let pushed = room.pads[0].appended.count + 100
        room.pads[0].motion = Self.push(at: pushed)
        room.run(for: .seconds(4))
        let late = room.host.sink.taken[before...].count { $0.verdict == .late }
        // What was sampled by the clock as it was, and came after the first stamp of the new one: at most the samples
        // that the resend buffer held.
        #expect(late <= 10, "seed \(seed), \(seconds) s")
        let gestures = room.host.sink.gestures.filter { $0.phase == .began }
        #expect(gestures.count == 1, "seed \(seed), \(seconds) s")
    }

    @Test(
        "Of a sender whose clock is set back or ahead no sample more is late, and its gestures go on",
        arguments: [-86_400_000, -61_000, -1_500, 1_500, 61_000, 86_400_000] as [Int64])
    func clockSet(milliseconds: Int64) throws {
        var host = HostedRoom(RoomConfiguration(seats: 2, policy: .open))
        host.sink.merge = Merge(configuration: MergeConfiguration(gestures: [.keepCalmJump]))
        var pad = try #require(Pad(host.invite(Guest(1))?.seat))
        for index in UInt32(0)..<600 {
            let device = 100_000_000_000 + Int64(index) * 10_000_000 + (index < 300 ? 0 : milliseconds * 1_000_000)
            let force = [420, 570].contains(index) ? SIMD3<Float>(0, -40, 9.81) : SIMD3(0, 0, 9.81)
            let probes = host.outgoing.flatMap { pad.probes(in: $0.bytes) }
            host.outgoing.removeAll()
            let datagram = pad.datagram(sentAt: device + 1_000_000) { writer in
                for id in probes {
                    _ = writer.writeProbeAnswer(id: id, receivedAt: DeviceTime(nanoseconds: device + 1_000_000))
                }
                guard
                    var block = StreamBlockWriter(
                        stream: 0, epoch: 0, floor: 0, codec: SampleCodec(StreamDeclaration()), to: &writer)
                else { return }
                let sample = Sample(sampledAt: DeviceTime(nanoseconds: device), acceleration: force)
                _ = block.append(sample, index: index, to: &writer)
                block.finish(&writer)
            }
            host.pass(to: host.now + .milliseconds(10))
            host.receive(datagram, from: .lan(10))
        }
        host.pass(to: host.now + .seconds(1))
        #expect(host.sink.taken.count { $0.verdict == .late } == 0)
        #expect(host.sink.gestures.count { $0.phase == .began } == 2)
        #expect(host.sink.clocks[0]?.state == .locked)
    }

    @Test(
        "Haptics that the program before was told to play are lost with it: a hundred such returns leave room for more")
    func openHaptics() throws {
        var host = HostedRoom(RoomConfiguration(seats: 2, policy: .open))
        var guest = Guest(1)
        var played: [UInt32] = []
        for life in 1...100 {
            guest.process = UInt64(life)
            let seated = try #require(host.invite(guest)?.seat)
            var pad = try #require(Pad(seated))
            guest.secret = seated.secret
            host.receive(pad.samples(0..<3), from: .lan(10))
            let id = host.coordinator.play(intensity: 1, sharpness: 1, on: 0)
            played.append(try #require(id, "life \(life)"))
            host.pass(to: host.now + .milliseconds(100))
        }
        let lost = host.occurrences.compactMap { entry -> UInt32? in
            guard case .haptic(let outcome) = entry.what, outcome.outcome == .lost else { return nil }
            return outcome.id
        }
        #expect(lost == Array(played.dropLast()))
    }

    @Test("What was sampled before the seat was given is late, however late it comes, and no gesture comes of it")
    func beforeAdmission() throws {
        let merging = MergeConfiguration(gestures: [.keepCalmJump])
        var host = HostedRoom(RoomConfiguration(seats: 2, policy: .open))
        host.sink.merge = Merge(configuration: merging)
        host.pass(to: .s(10))
        var pad = try #require(Pad(host.invite(Guest(1))?.seat))
        // Sent 100 ms after the seat was given: samples of the last two seconds, with a push in the seconds before.
        host.pass(to: .s(10.1))
        let codec = SampleCodec(StreamDeclaration())
        let datagrams = stride(from: UInt32(0), to: 200, by: 40).map { first in
            pad.datagram(sentAt: 2_000_000_000) { writer in
                guard var block = StreamBlockWriter(stream: 0, epoch: 0, floor: 0, codec: codec, to: &writer)
                else { return }
                for index in first..<first + 40 {
                    let isPush = (100..<103).contains(index)
                    let sample = Sample(
                        sampledAt: DeviceTime(nanoseconds: Int64(index) * 10_000_000),
                        acceleration: isPush ? SIMD3(0, -40, 9.81) : SIMD3(0, 0, 9.81))
                    _ = block.append(sample, index: index, to: &writer)
                }
                block.finish(&writer)
            }
        }
        for datagram in datagrams { host.receive(datagram, from: .lan(10)) }
        host.pass(to: .s(11))
        // The seat was given at 10 s, which was 1.9 s by the controller's clock.
        #expect(host.sink.taken.map(\.verdict) == (0..<200).map { $0 < 190 ? .beforeSeat : .delivered })
        #expect(host.sink.gestures.isEmpty)
    }
}
