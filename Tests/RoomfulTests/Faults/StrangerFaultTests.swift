import ControllerSession
import Foundation
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Datagrams
@testable import Identity
@testable import MotionFiles
@testable import RoomRecords
@testable import RoomServer
@testable import Roomful
@testable import RoomfulCLI

@Suite("Faults: strangers' datagrams, over real sockets", .serialized, .faultLimit)
struct StrangerFaultTests {
    @Test("N8: a datagram whose bits were flipped and its checksum mended is counted once, and touches nobody's books")
    func flippedBits() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let relay = try RelayProcess(
                program: BuiltProgram.path, to: PeerAddress(ipv4: 0x7F00_0001, port: room.port),
                network: "corrupt=20%", seed: 8)
            var options = try house.controller("Blue", logging: true)
            options.linkVia = relay.address
            let log = try await withController(options, joining: room.local) { controller in
                try await jump(controller, samples: 300)
                _ = try await room.peers { $0.first?.samples.arrived == 300 }
                return controller
            }
            let sent = await log.datagramLog()
            let fate = try #require(try await relay.stop().fates.values.first)
            let strangers = try await room.strangers { $0.total >= fate.corrupted }
            let peer = try #require(await gone(from: room))
            // A fifth of them; there are fewer where the machine stands still, and each holds more.
            #expect(fate.corrupted > sent.count / 10 && fate.lost == 0)
            // The copies of a goodbye are booked where they belong, for as long as the link drains.
            let whole = fate.delivered.map(\.number)
            #expect(strangers.total == fate.corrupted)
            #expect(peer.datagrams.unique == whole.count && peer.datagrams.duplicate == 0)
            #expect(whole.count + fate.corrupted == sent.count)
            #expect(peer.samples.arrived == 300 && peer.datagrams.unreadable == 0)
        }
    }

    @Test(
        "A1: a flood of garbage takes no memory and gets no answer; players lose nothing, and every datagram is booked")
    func flood() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let host = try await HostProgram(in: house)
        let status = try await host.status
        let stranger = try Stranger(to: UInt16(status.port))
        var garbage = Garbage(seed: 1)
        let controller = try await withController(
            house.controller("Blue", logging: true), joining: .direct(host: "127.0.0.1", port: status.port),
            trust: .fingerprint(try #require(Pin(status.pin)))
        ) { controller in
            let playing = Task { try await jump(controller, samples: 400) }
            var sent = stranger.send((0..<20_000).map { _ in garbage.next() })
            var before = 0
            let rounds = Soak.isOn ? 600 : 10
            for round in 0..<rounds {
                if round == 1 { before = try host.program.residentBytes }
                sent += stranger.send((0..<12_000).map { _ in garbage.next() })
                let soFar = sent
                _ = try await host.status { $0.strangers.total + ($0.strangers.kernelDrops ?? 0) >= soFar }
            }
            let grown = try host.program.residentBytes - before
            #expect(abs(grown) <= 1 << 20 || Sanitizer.isOn, "\(grown) bytes more")
            try await playing.value
            let peer = try #require(
                try await host.status {
                    $0.peers.first.map { $0.samples.delivered + $0.samples.late } == 400
                }.peers.first)
            #expect(peer.samples.delivered + peer.samples.late == 400 && peer.samples.missing == 0)
            return (controller, sent)
        }
        let strangers = try await host.status { $0.peers.isEmpty }.strangers
        let drops = try #require(strangers.kernelDrops)
        let peer = try #require(try await host.departed.first)
        let log = await controller.0.datagramLog()
        #expect(peer.datagrams.missing.orNone + peer.datagrams.tailMissing.orNone <= drops)
        // What both senders counted, and what the host did.
        #expect(controller.1 + log.count == drops + strangers.total + peer.datagrams.authenticated)
        #expect(try stranger.answers == 0)
        print("A1: \(controller.1) datagrams of garbage, \(drops) dropped by the kernel, \(strangers)")
        _ = try await host.close()
        #expect(host.program.status == 0)
    }

    @Test(
        "A2: a captured session is played again in the same epoch and a new one, and each datagram is known for what it is"
    )
    func replay() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let tap = try Tap(to: room.port)
            defer { tap.stop() }
            let stranger = try Stranger(to: room.port)
            var options = try house.controller("Blue")
            options.linkVia = tap.address
            try await withController(options, joining: room.local) { controller in
                try await jump(controller, samples: 150)
                let peers = try await room.peers { $0.first?.samples.arrived == 150 }
                let before = try #require(peers.first)
                let captured = tap.captured
                #expect(stranger.send(captured) == captured.count)
                let after = try #require(
                    try await room.peers { $0.first.map(Self.seenBefore) == captured.count }.first)
                #expect(Self.seenBefore(after) == captured.count)
                #expect(after.samples.delivered == before.samples.delivered && after.address == before.address)
            }
            _ = await gone(from: room)
            // All that the controller sent, its goodbyes too. For a while its link drains; then nothing of it is known.
            let captured = tap.captured
            let before = await room.status().strangers.total
            try await until("the end of the draining") {
                stranger.send(Array(captured.prefix(1)))
                return await room.status().strangers.total > before
            }
            var early = await room.status().strangers.total
            while case let now = await room.status().strangers.total, now > early { early = now }
            try await withController(options, joining: room.local) { controller in
                try await jump(controller, samples: 20)
                let before = try #require(try await room.peers { $0.first?.samples.arrived == 20 }.first)
                stranger.send(captured)
                let strangers = try await room.strangers { $0.total >= early + captured.count }
                #expect(strangers.total == early + captured.count && strangers.malformed == 0)
                let after = try #require(try await room.peers().first)
                #expect(after.datagrams.duplicate == 0 && after.datagrams.tooOld == 0)
                #expect(after.samples.verdicts == before.samples.verdicts)
            }
            #expect(try stranger.answers == 0)
        }
    }

    @Test(
        "A3: cut at any length, or with any bit of its header flipped, a datagram is rejected, not answered, traps nobody"
    )
    func damaged() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let tap = try Tap(to: room.port)
            defer { tap.stop() }
            let stranger = try Stranger(to: room.port)
            var options = try house.controller("Blue")
            options.linkVia = tap.address
            try await withController(options, joining: room.local) { controller in
                try await jump(controller, samples: 20)
                let before = try #require(try await room.peers { $0.first?.samples.arrived == 20 }.first)
                tap.hold()
                let known = tap.captured.count
                try await jump(controller, samples: 5)
                let datagram = try #require(tap.captured.dropFirst(known).first)
                let cut = (0..<datagram.count).map { Array(datagram[..<$0]) }
                let flipped = (0..<DatagramHeader.size * 8).map { bit in
                    var damaged = datagram
                    damaged[bit / 8] ^= 1 << UInt8(bit % 8)
                    return damaged
                }
                stranger.send(cut + flipped)
                let strangers = try await room.strangers { $0.total >= cut.count + flipped.count }
                // Too short for anything: 33. Version and kind: 8 bits. Connection id: 32. The number is sealed in.
                #expect((strangers.malformed, strangers.unknown) == (33 + 8, 32))
                #expect(strangers.badAuth == datagram.count - 33 + 32)
                let after = try #require(try await room.peers().first)
                #expect(after.samples.verdicts == before.samples.verdicts && after.address == before.address)
                #expect(after.datagrams.unique == before.datagrams.unique)
                // Whole, it is good: whoever carries it.
                stranger.send([datagram])
                let moved = try await room.peers { ($0.first?.samples.delivered ?? 0) > 20 }
                #expect(moved.first?.datagrams.unique == before.datagrams.unique + 1)
            }
        }
    }

    @Test("A12: a seated thief's own key opens nothing under another's connection id, and nobody's books change")
    func seatTheft() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            let tap = try Tap(to: room.port)
            defer { tap.stop() }
            var options = try house.controller("Blue")
            options.linkVia = tap.address
            try await withController(options, joining: room.local) { controller in
                try await jump(controller, samples: 50)
                let before = try #require(try await room.peers { $0.first?.samples.arrived == 50 }.first)
                let victim = try DatagramHeader(try #require(tap.captured.first)).connection
                let (thief, admission) = try await SeatWithoutLink.take(in: room, as: "Thief")
                let forged = (0..<200).map { number in
                    admission.heartbeat(for: victim, number: 1_000 + number)
                }
                let stranger = try Stranger(to: room.port)
                stranger.send(forged)
                let strangers = try await room.strangers { $0.total >= 200 }
                #expect(strangers.badAuth == 200 && strangers.total == 200)
                let peers = try await room.peers()
                let after = try #require(peers.first { $0.name == "Blue" })
                #expect(after.samples.verdicts == before.samples.verdicts && after.address == before.address)
                #expect(after.datagrams.highestSeen < 1_000)
                let other = try #require(peers.first { $0.name == "Thief" })
                #expect(other.state == "reserved" && other.datagrams.authenticated == 0)
                // The same key is good for the thief's own seat: it was a real one.
                stranger.send([admission.heartbeat(for: admission.epoch.connection, number: 0)])
                let seated = try await room.peers { $0.contains { $0.name == "Thief" && $0.state == "active" } }
                #expect(seated.contains { $0.name == "Thief" && $0.datagrams.unique == 1 })
                await thief.close()
            }
        }
    }

    private static func seenBefore(_ peer: PeerStatus) -> Int { peer.datagrams.duplicate + peer.datagrams.tooOld }

    /// The last report of the one who left.
    private func gone(from room: Room) async -> PeerStatus? {
        _ = try? await room.peers { $0.isEmpty }
        return await room.departed().last
    }
}

/// Sends samples of somebody who jumps each second, 100 a second.
func jump(_ controller: Controller, samples: Int) async throws {
    var jumper = Jumper()
    for _ in 0..<samples {
        let sample = jumper.next()
        try await Task.sleep(for: max(.zero, sample.sampledAt - Controller.deviceTimeNow()))
        controller.send(sample)
    }
}

extension Room {
    /// Waits until the count of strangers is as expected, for at most a minute, and returns it.
    func strangers(until isSo: (RoomStatus.Strangers) -> Bool) async throws -> RoomStatus.Strangers {
        let deadline = ContinuousClock.now + patience
        while true {
            let strangers = await status().strangers
            if isSo(strangers) || ContinuousClock.now >= deadline { return strangers }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

extension PeerStatus.Samples {
    /// What became of each; repeats come as long as nothing acknowledges them, and count for nobody.
    fileprivate var verdicts: [Int] { [delivered, late, abandoned, missing.orNone] }
}

extension PeerStatus.Datagrams {
    fileprivate var highestSeen: Int { (expected ?? 0) - 1 }
}

extension DatagramHeader {
    fileprivate init(_ bytes: [UInt8]) throws { self = try bytes.withUnsafeBytes { try DatagramHeader(reading: $0) } }
}

extension RunningProgram {
    /// What of its memory is in the machine's: VmRSS of proc(5).
    var residentBytes: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
            return (Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0) << 10
        }
    }
}
