import InputMerge
import LinkEmulation
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomEngine
@testable import RoomSimulation

/// What one guest makes a room do, and how long others wait for that. Work is counted, not measured: no machine's speed
/// plays a part.
@Suite("A guest who asks for too much work")
struct WorkTests {
    @Test(
        "Gaps that the merge must fill cost their sender the seat, and nobody else a sending interval"
    )
    func bridging() throws {
        var stage = try Stage(
            MergeConfiguration(), rates: [100, 100, 50, 100], networks: Array(repeating: "delay=5ms", count: 4))
        stage.unitTime = .nanoseconds(250)
        stage.run(for: .seconds(2))
        let calm = stage.longestWait
        try stage.joinGuest()
        stage.run(for: .seconds(12))
        // 8 ms lie between two datagrams of a controller (WIRE-FORMAT.md, section 6).
        #expect(stage.longestWait - calm < .milliseconds(8))
        let left = stage.events.contains {
            if case .player(let change) = $0 {
                change.state == .left && change.controllers == [BridgingGuest.id]
            } else {
                false
            }
        }
        #expect(left, "it still has its seat")
        #expect(stage.host.closed.contains(BridgingGuest.conversation))
        let told = stage.host.said.contains {
            if case (BridgingGuest.conversation, .goodbye(let farewell)) = $0 {
                farewell.reason == .tooFast
            } else {
                false
            }
        }
        #expect(told, "nobody told it why")
        for report in stage.host.engine.coordinator.reports(now: stage.now) {
            #expect(report.samples.late == 0 && report.samples.missing == 0, "\(report.name)")
        }
        // What was refused is booked as such.
        let gone = try #require(stage.host.engine.departed.first { $0.report.controller == BridgingGuest.id }?.report)
        #expect(gone.datagrams.rateLimited > 0 && gone.epoch.isBalanced)
    }

    @Test("A turn ends when its work is done, and what is left is taken in its order in the next ones, all of it")
    func turnsEnd() throws {
        var stage = try Stage(
            MergeConfiguration(), rates: [1_000, 1_000, 1_000], networks: Array(repeating: "delay=5ms", count: 3))
        stage.run(for: .seconds(1))
        #expect(stage.host.mostWork < 8_192, "no turn has had enough so far")
        // The host stands still: then all that was sent meanwhile waits in its socket, 2,700 samples at 5 units.
        stage.sleep(for: .milliseconds(900))
        stage.run(for: .seconds(5))
        // 8,192 units, and one datagram's beyond: at most 255 samples fit into it.
        let most: Int = 8_192 + 255 * 5 + 3
        #expect(stage.host.mostWork >= 8_192 && stage.host.mostWork <= most)
        for place in stage.controllers.indices { stage.controllers[place].nextSampleAt = nil }
        stage.run(for: .seconds(1))
        for report in stage.host.engine.coordinator.reports(now: stage.now) {
            #expect(report.samples.missing == 0 && report.samples.abandoned == 0, "\(report.name)")
            #expect(report.samples.late == 0 && report.samples.delivered > 6_500, "\(report.name)")
        }
    }

    @Test("Buttons that are down are work: a turn ends after fewer samples that hold them", arguments: [4, 100, 4_000])
    func buttons(rate: Double) {
        func samples(holding buttons: UInt16) -> Int {
            var sink = MergeSink(MergeConfiguration())
            let declaration = StreamDeclaration(measures: [.acceleration, .buttons], nominalRate: rate)
            let key = StreamKey(peer: 0, stream: 0)
            var now = HostTime(nanoseconds: 3_600_000_000_000)
            sink.streamBegan(key, epoch: 0, declaration, at: now, admittedAt: nil)
            sink.work.beginTurn()
            var count: UInt32 = 0
            while !sink.work.isTurnOver {
                now = now + .nanoseconds(Int64(1e9 / rate))
                var sample = Sample(
                    sampledAt: DeviceTime(nanoseconds: now.nanoseconds), acceleration: SIMD3(0, 0, 9.81))
                sample.measures = declaration.measures
                sample.buttons = buttons
                _ = sink.accept(sample, index: count, of: key, arrivedAt: now, now: now)
                count += 1
            }
            return Int(count)
        }
        let (none, one, all) = (samples(holding: 0), samples(holding: 1), samples(holding: .max))
        #expect(none > one && one > all && none > 3 * all, "\(none), \(one), \(all) samples")
    }
}

/// Somebody with a seat who leaves out 4,095 samples before each, 150 ms apart: a hole that is just not too long to be
/// filled.
struct BridgingGuest {
    static let id = ControllerID(high: 0xBAD0_0000_0000_0000, low: 2)
    static let address = PeerAddress(ipv4: 0x0A00_00FE, port: 6_666)
    static let conversation = ConversationID(rawValue: 99)
    static let declaration = StreamDeclaration(nominalRate: 4_000)
    /// 900 datagrams a second.
    private static let interval: Duration = .nanoseconds(1_111_111)

    private let connection: ConnectionID
    private let key: LinkKey
    private(set) var nextAt: HostTime
    private var number: UInt32 = 0
    private var index: UInt32 = 0
    private var time: Int64 = 0

    init(_ connection: ConnectionID, _ key: LinkKey, now: HostTime) {
        (self.connection, self.key, nextAt) = (connection, key, now)
    }

    mutating func datagram() -> [UInt8] {
        nextAt = nextAt + Self.interval
        number += 1
        var bytes = [UInt8](repeating: 0, count: WireFormat.maximumDatagramSize)
        let size = bytes.withUnsafeMutableBytes { buffer in
            var writer = ByteWriter(UnsafeMutableRawBufferPointer(rebasing: buffer[..<(buffer.count - sealTagLength)]))
            DatagramHeader(kind: .motion, connection: connection, number: number).write(to: &writer)
            writer.write(Int64(number) * 1_111_111)
            while writer.room >= 64 { writeGap(&writer) }
            let size = writer.count + sealTagLength
            ToyCipher().seal(
                UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]), headerLength: DatagramHeader.size, key: key,
                number: number)
            return size
        }
        return Array(bytes[..<size])
    }

    private mutating func writeGap(_ writer: inout ByteWriter) {
        let codec = SampleCodec(Self.declaration)
        guard var block = StreamBlockWriter(stream: 0, epoch: 0, floor: index, codec: codec, to: &writer) else {
            return
        }
        let sample = Sample(sampledAt: DeviceTime(nanoseconds: time), acceleration: SIMD3(0, 0, 9.81))
        _ = block.append(sample, index: index, to: &writer)
        block.finish(&writer)
        index &+= 4_096
        time += 150_000_000
    }
}

extension Stage {
    /// It takes a seat, and begins.
    mutating func joinGuest() throws {
        let invitation = Invitation(
            controller: BridgingGuest.id.description, process: "0000000000000001", name: "Bridge",
            streams: [StreamOffer(BridgingGuest.declaration)], haptics: false, timeout: nil)
        let key = LinkKey(a: 99, b: 1, c: 0, d: 0)
        let material = LinkMaterial(
            motionKey: key, feedbackKey: LinkKey(a: 99, b: 2, c: 0, d: 0), probeKey: LinkKey(a: 99, b: 3, c: 0, d: 0),
            secret: "", secretHash: [9], presentedHash: nil)
        host.handle(
            .invite(invitation, from: BridgingGuest.conversation, over: .udp, material, source: nil), at: now)
        host.turn(now)
        for case (BridgingGuest.conversation, .seated(let seated)) in host.said {
            guest = BridgingGuest(ConnectionID(rawValue: seated.link.connection), key, now: now)
        }
        _ = try #require(guest)
    }
}
