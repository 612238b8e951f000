import SessionCoordinator
import Testing
import WireProtocol

@testable import Identity
@testable import RoomRecords
@testable import Roomful

@Suite struct TroublesTests {
    private func peer(_ change: (inout PeerStatus) -> Void = { _ in }) -> PeerStatus {
        var peer = PeerStatus(
            name: "Blue Otter", controller: "00", seat: 1, player: 1, color: "#0072b2", state: "active", link: "good",
            transport: "udp", lastHeardMs: 5,
            datagrams: .init(
                authenticated: 100, expected: 100, unique: 100, missing: 0, tailMissing: 0, duplicate: 0, tooOld: 0,
                reordered: 0, unreadable: 0, rateLimited: 0, bytes: 9_000, epochs: 1),
            samples: .init(expected: 200, delivered: 200, late: 0, abandoned: 0, missing: 0, redundant: 0, epochs: 1),
            jitterMs: 0.1, quality: 1, clock: .init(state: "locked", uncertaintyMs: 1))
        change(&peer)
        return peer
    }

    @Test("Nothing is said of a peer that is well")
    func well() { #expect(peer().troubles == []) }

    @Test("A lossy Wi-Fi is called by its loss, and the same poor link is not told twice")
    func lossy() {
        let troubles = peer { $0.quality = 0.8 }.faults(lost: 0.08, silentStreams: [], pathChanges: 0)
        #expect(troubles.map(\.code) == ["losing"] && troubles.first?.share == 0.08)
        #expect(
            troubles.map(\.words) == [
                "its Wi-Fi loses 8 % of what it sends: nearer to the access point, or another channel, helps"
            ])
    }

    @Test("A silent peer is asked after once, without guesses about its clock or its quality")
    func silent() {
        let troubles = peer { ($0.link, $0.lastHeardMs, $0.quality, $0.clock.state) = ("silent", 4_200, 0.2, "stale") }
            .troubles
        #expect(troubles.count == 1)
        #expect(troubles.first?.hasPrefix("silent for 4 s: is its screen locked") == true)
    }

    @Test("Nobody is blamed for a silence that began when the host's own network went")
    func hostOffline() {
        let lost = RoomStatus.Network(isLost: true, agoMs: 9_000)
        let moved = RoomStatus.Network(isLost: false, agoMs: 9_000)
        // It is seen within some seconds that the network went, and what was under way then still came.
        #expect(lost.explains(silenceOf: 14_000) && moved.explains(silenceOf: 14_000))
        #expect(!lost.explains(silenceOf: 60_000) && !moved.explains(silenceOf: 60_000))
        // Of a machine that has moved others are heard again.
        #expect(lost.explains(silenceOf: 1_000) && !moved.explains(silenceOf: 1_000))
        func faults(_ network: RoomStatus.Network) -> [PeerStatus.Trouble] {
            peer { ($0.state, $0.link, $0.lastHeardMs, $0.hostNetwork) = ("lost", "silent", 14_000, network) }
                .faults(lost: nil, silentStreams: [], pathChanges: 0)
        }
        #expect(faults(lost).map(\.code) == ["hostOffline"] && faults(lost).first?.timeMs == 9_000)
        #expect(faults(lost).first?.words.contains("in no network for 9 s") == true)
        #expect(faults(moved).map(\.code) == ["hostMoved"])
        #expect(faults(moved).first?.words.contains("lost its address 9 s ago, and has another now") == true)
    }

    @Test("A sensor that has said nothing for a second, or ever, is asked after; one that is merely not fresh is not")
    func silentSensor() {
        func codes(_ age: Double?) -> [String] {
            peer().faults(lost: nil, silentStreams: [.init(stream: 0, ageMs: age)], pathChanges: 0).map(\.code)
        }
        #expect(codes(238) == [] && codes(999) == [])
        #expect(codes(1_000) == ["streamSilent"] && codes(nil) == ["streamNever"])
    }

    @Test("Of a seat that was kept over the host's restart no firewall is suspected: its controller is not back yet")
    func notBack() {
        let awaited = peer { peer in
            (peer.state, peer.link, peer.lastHeardMs) = ("lost", "silent", 3_000)
            (peer.datagrams.authenticated, peer.datagrams.epochs, peer.clock.state) = (0, 0, "none")
        }
        let faults = awaited.faults(lost: nil, silentStreams: [], pathChanges: 0)
        #expect(faults.map(\.code) == ["notBack"] && faults.first?.timeMs == 3_000)
        #expect(awaited.troubles.first?.hasPrefix("not heard since the host began, 3 s ago") == true)
        // It has joined again by TCP, and nothing came by UDP.
        let joined = peer { ($0.state, $0.datagrams.authenticated) = ("lost", 0) }
        #expect(joined.troubles.first?.contains("firewall") == true)
    }

    @Test("Who was heard before, and has joined again since without a datagram, is asked about a firewall")
    func firewallSince() {
        func silent(_ transport: String, inEpoch: Int?) -> String {
            peer { ($0.transport, $0.link, $0.datagrams.inEpoch) = (transport, "silent", inEpoch) }.troubles.first ?? ""
        }
        #expect(silent("udp", inEpoch: 0).contains("firewall stop UDP"))
        for said in [silent("udp", inEpoch: 1), silent("udp", inEpoch: nil), silent("wss", inEpoch: 0)] {
            #expect(said.contains("is its screen locked"))
        }
        // A link that was opened just now has had no time to be heard.
        #expect(peer { $0.datagrams.inEpoch = 0 }.troubles == [])
    }

    @Test("Who has just come, who is only silent, and a browser lack no datagrams; who came again without any does")
    func lacksDatagrams() {
        func lacks(_ change: (inout PeerStatus) -> Void) -> Bool { peer(change).lacksDatagrams }
        #expect(!lacks { ($0.link, $0.lastHeardMs, $0.datagrams.authenticated) = ("silent", 20, 0) })
        #expect(lacks { ($0.link, $0.lastHeardMs, $0.datagrams.authenticated) = ("silent", 1_000, 0) })
        #expect(lacks { ($0.link, $0.datagrams.epochs, $0.datagrams.authenticated) = ("silent", 2, 0) })
        #expect(lacks { ($0.link, $0.datagrams.epochs, $0.datagrams.inEpoch) = ("silent", 2, 0) })
        #expect(!lacks { ($0.link, $0.lastHeardMs) = ("silent", 9_000) })
        #expect(!lacks { ($0.transport, $0.lastHeardMs, $0.datagrams.authenticated) = ("wss", 9_000, 0) })
    }

    @Test("A phone whose sensor is forbidden is told apart from one behind a firewall")
    func phones() {
        func silentSince(_ transport: String) -> PeerStatus {
            peer { ($0.transport, $0.datagrams.authenticated) = (transport, 0) }
        }
        #expect(silentSince("udp").troubles.first?.contains("firewall") == true)
        #expect(silentSince("wss").troubles.first?.contains("tapped Start") == true)
        var sensor = SensorReport()
        sensor.permission = "denied"
        #expect(
            peer { ($0.transport, $0.sensor) = ("wss", sensor) }.troubles.first?.contains(
                "may not read its motion sensor") == true)
    }

    @Test("A game is told how a player's link does, and neither where its device is nor what the device says of itself")
    func games() {
        var sensor = SensorReport()
        (sensor.permission, sensor.battery) = ("denied", 9)
        var whole = peer { ($0.address, $0.sensor) = ("192.168.1.9:50000", sensor) }
        let faults = whole.faults(lost: 0.08, silentStreams: [], pathChanges: 0)
        whole.recent = .init(troubles: faults.map(\.words), faults: faults, queueingMs: [], lost: [], samples: [])
        #expect(faults.map(\.code) == ["sensorDenied", "batteryLow", "losing"])
        var reply = OperatorReply()
        reply.peers = [whole]
        let told = reply.toldToGames.peers?.first
        #expect(told?.address == nil && told?.sensor == nil)
        #expect(told?.recent?.faults.map(\.code) == ["losing"] && told?.recent?.troubles.count == 1)
        #expect(told?.name == whole.name && told?.quality == whole.quality)
    }

    @Test("An unlocked clock says that who was first is not certain")
    func clocks() {
        let troubles = peer { $0.clock = .init(state: "coarse", uncertaintyMs: 22) }.troubles
        #expect(troubles == ["the clock is coarse ± 22 ms, not locked: who was first cannot be told exactly"])
    }

    @Test("What was lost is told while it is news, and by a host that does not say when, all evening")
    func losses() {
        let lost = peer { $0.samples.abandoned = 90 }
        #expect(lost.troubles.map { $0.hasPrefix("90 samples are lost for good") } == [true])
        let recent = peer {
            ($0.samples.abandoned, $0.samples.lastMinute) = (90, .init(all: 60, late: 0, abandoned: 7))
        }
        #expect(recent.troubles.map { $0.hasPrefix("7 samples are lost for good") } == [true])
        let past = peer { ($0.samples.abandoned, $0.samples.lastMinute) = (90, .init(all: 60, late: 0, abandoned: 0)) }
        #expect(past.troubles == [])
    }

    @Test("Who came back late once is not told of a slow network; who is late now is")
    func late() {
        let back = peer { peer in
            (peer.samples.late, peer.samples.delivered) = (1_785, 1_206)
            peer.samples.lastMinute = .init(all: 1_206, late: 0)
        }
        #expect(back.troubles == [])
        let slow = peer { $0.samples.lastMinute = .init(all: 3_600, late: 37) }
        #expect(slow.troubles.map { $0.hasPrefix("37 samples came too late") } == [true])
        #expect(peer { $0.samples.lastMinute = .init(all: 3_600, late: 36) }.troubles == [])
        // A sensor whose clock was set back: no network is slow.
        let old = peer { $0.samples.lastMinute = .init(all: 3_600, late: 370, old: 360) }
        #expect(old.troubles.map { $0.hasPrefix("370 samples were too old to count when they were sent") } == [true])
        #expect(old.faults(lost: nil, silentStreams: [], pathChanges: 0).map(\.code) == ["old"])
        let missed = peer { $0.samples.lastMinute = .init(all: 3_300, late: 0, missedByHost: 299) }
        let faults = missed.faults(lost: nil, silentStreams: [], pathChanges: 0)
        #expect(faults.map(\.code) == ["missedByHost"] && faults.first?.figure == 299)
    }

    @Test("How the machine stood still is told in figures: one long standstill by itself, short ones together")
    func standstills() throws {
        func words(_ lengths: [Int64], at seconds: Int64) throws -> String {
            var standstills = Standstills()
            for (place, length) in lengths.enumerated() {
                let until = HostTime(nanoseconds: Int64(place + 3) * 1_000_000_000)
                standstills.note(from: until - .milliseconds(length), until: until)
            }
            let report = standstills.report(at: HostTime(nanoseconds: seconds * 1_000_000_000))
            return RoomStatus.Standstill(try #require(report)).words
        }
        #expect(try words([3_000], at: 23) == "the room's machine stood still for 3.0 s, 20 s ago")
        #expect(
            try words([3_000, 900], at: 4)
                == "the room's machine stood still for 3.0 s, 1 s ago, and for 3.9 s of the last minute in all")
        #expect(
            try words([Int64](repeating: 200, count: 40), at: 42)
                == "the room's machine lacks processor time, and stood still for 8 s of the last minute, up to 0.20 s at a time"
        )
    }
}
