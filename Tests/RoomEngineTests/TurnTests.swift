import ControllerSession
import InputMerge
import RoomSimulation
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomEngine

/// What happens within one turn of the room's thread happens in its order, though it is told together.
@Suite("One turn of a room")
struct TurnTests {
    @Test("Who goes and who comes in one turn are told by their own ids, and each keeps only its own talents")
    func goneAndCome() throws {
        var house = EngineHouse(RoomConfiguration(seats: 1, policy: .open))
        let joined = house.join(1)
        var first = try #require(joined)
        _ = house.ask(.teaching(.sensitivity("P1", 0.8)))
        let farewell = first.goodbye(at: house.now)
        house.outputs = []
        // The goodbye and the newcomer's invitation come before the room has a moment to tell of either.
        house.receive(farewell)
        house.invite(2)
        house.turn()
        #expect(house.players.map(\.state) == [.left, .joined])
        #expect(house.players.map(\.controllers) == [[EngineHouse.id(1)], [EngineHouse.id(2)]])
        // The lease has ended, and with it what was kept of the first player.
        var second = try #require(house.seated(2))
        house.receive(second.goodbye(at: house.now))
        house.turn()
        let again = house.join(1)
        _ = try #require(again)
        #expect(house.engine.sink.merge.sensitivity(of: 1) == 1)
    }

    @Test("What a leaver's last jump taught is not kept for who has its place in the same turn")
    func lastJump() throws {
        var house = EngineHouse(RoomConfiguration(seats: 1, policy: .open))
        let joined = house.join(1)
        var first = try #require(joined)
        // The landing comes with the goodbye.
        try house.hears([(1, 60), (2.5, 15), (0.1, 39)], of: &first)
        for force in [3, 3, 3, 3, 3, 3, 1, 1, 1, 1] as [Float] {
            house.now = house.now + .milliseconds(10)
            try first.append(at: house.now, force: force)
        }
        house.outputs = []
        house.receive(first.goodbye(at: house.now))
        house.invite(2)
        house.turn()
        let ended = house.outputs.contains {
            guard case .event(.gesture(let gesture, _)) = $0 else { return false }
            return gesture.gesture == .jump && gesture.phase == .ended
        }
        #expect(ended && house.players.map(\.state) == [.left, .joined])
        house.now = house.now + .seconds(11)
        house.turn()
        #expect(house.kept.isEmpty)
    }

    @Test("The last motion of who leaves within a turn is told, to whoever listens and to rules that come along")
    func lastMotion() throws {
        var house = EngineHouse(RoomConfiguration(seats: 1, policy: .open))
        house.engine.carry(MergeConfiguration(), tellsMotion: true)
        let joined = house.join(1)
        var guest = try #require(joined)
        try guest.append(at: house.now)
        house.receive(guest.datagram(at: house.now))
        house.turn()
        let listener = ListenerID(rawValue: 7)
        _ = house.ask(.deliver(.each, of: "P1", stream: 0, to: listener))
        _ = house.engine.takePassengerEvents()
        house.now = house.now + .seconds(1)
        for count: Int64 in 0..<3 { try guest.append(at: house.now - .milliseconds(30 - 10 * count)) }
        house.outputs = []
        house.receive(guest.datagram(at: house.now))
        // By its control connection, which is heard at once.
        house.engine.handle(
            .goodbye(Farewell(reason: "left"), from: ConversationID(rawValue: 1)), at: house.now, cipher: ToyCipher())
        house.turn()
        #expect(house.players.map(\.state) == [.left])
        let heard = house.outputs.compactMap { output -> [DeviceMotion]? in
            if case .motions(let batch, listener) = output { batch.motions } else { nil }
        }
        let ridden = house.engine.takePassengerEvents().compactMap { event -> [DeviceMotion]? in
            if case .motions(let batch) = event { batch.motions } else { nil }
        }
        #expect(heard.map(\.count) == [3] && ridden.map(\.count) == [3])
        #expect(heard == ridden)
        #expect(house.engine.departed.last?.report.samples.delivered == 4)
    }

    @Test("Who says that it is held straight ahead says so of itself: others of its player lean as they leaned")
    func straightAhead() throws {
        var house = EngineHouse(RoomConfiguration(seats: 2, policy: .open, mode: .collaborative))
        let (one, other) = (house.join(1), house.join(2))
        var guests = [try #require(one), try #require(other)]
        // Both lean by 45°.
        for _ in 0..<100 {
            for place in guests.indices {
                try guests[place].append(at: house.now, force: 0.7, sideways: 0.7)
                house.receive(guests[place].datagram(at: house.now))
            }
            house.turn()
            house.now = house.now + .milliseconds(5)
        }
        let before = try #require(house.engine.sink.merge.state(of: 1, at: house.now)).attitude.up.z
        #expect(abs(before - 0.707) < 0.05, "\(before)")
        try guests[1].rezero()
        house.receive(guests[1].datagram(at: house.now))
        for _ in 0..<4 { house.turn() }
        // In the middle of level and 45°.
        let after = try #require(house.engine.sink.merge.state(of: 1, at: house.now)).attitude.up.z
        #expect(abs(after - 0.924) < 0.03, "\(after)")
    }

    @Test("A room that is turned without its feedback being taken still says when it is due")
    func withoutFeedback() throws {
        var house = EngineHouse(RoomConfiguration(seats: 1, policy: .open))
        let joined = house.join(1)
        _ = try #require(joined)
        house.engine.advance(to: house.now)
        let due = try #require(house.engine.nextDeadline)
        #expect(due <= house.now + .milliseconds(250))
        #expect(due == house.engine.coordinator.nextDeadline)
    }

    @Test("Motion that somebody wants wakes a room sixty times a second while there is some, and else not at all")
    func motionOfNobody() throws {
        var house = EngineHouse(RoomConfiguration(seats: 1, policy: .open))
        house.engine.handle(.motionIsWanted(true), at: house.now, cipher: ToyCipher())
        house.turn()
        #expect(house.engine.nextDeadline == nil)
        let joined = house.join(1)
        _ = try #require(joined)
        house.turn()
        let due = try #require(house.engine.nextDeadline)
        #expect(due <= house.now + .milliseconds(17))
    }
}

/// An engine with its shell's part done by hand, and controllers that say little.
struct EngineHouse {
    var engine: Engine
    var now = HostTime(nanoseconds: 3_600_000_000_000)
    var outputs: [RoomOutput] = []
    private var conversations: UInt64 = 0
    private var secrets: UInt64 = 0
    private var guests: [UInt64: SilentGuest] = [:]

    init(_ room: RoomConfiguration) { engine = Engine(configuration: EngineConfiguration(room: room), now: now) }

    static func id(_ number: UInt64) -> ControllerID { ControllerID(high: 0xC0FF_EE00_0000_0000, low: number) }

    var players: [RoomEvent.Player] {
        outputs.compactMap { if case .event(.player(let player)) = $0 { player } else { nil } }
    }

    /// How many jumps each controller's kept airtimes rested on, each time that they were kept.
    var kept: [ControllerID: [Int]] {
        outputs.reduce(into: [:]) { kept, output in
            if case .keep(let controller, let talents) = output {
                kept[controller, default: []].append(talents.airtimes.count)
            }
        }
    }

    /// The controller's samples, 10 ms apart: so many of each force, in g.
    mutating func hears(_ parts: [(force: Float, count: Int)], of guest: inout SilentGuest) throws {
        for force in parts.flatMap({ Array(repeating: $0.force, count: $0.count) }) {
            now = now + .milliseconds(10)
            try guest.append(at: now, force: force)
            receive(guest.datagram(at: now))
            let time = now
            turn()
            now = time
        }
    }

    mutating func turn() {
        if engine.advance(to: now) {
            withUnsafeTemporaryAllocation(byteCount: 1_200, alignment: 8) { buffer in
                while engine.nextFeedback(into: buffer, now: now, cipher: ToyCipher()) != nil {}
            }
        }
        outputs += engine.takeOutputs()
        now = now + .milliseconds(5)
    }

    mutating func ask(_ command: RoomCommand) -> Result<RoomAnswer, RoomError>? {
        engine.handle(.command(command, RequestID(rawValue: 1)), at: now, cipher: ToyCipher())
        turn()
        for case .answer(_, let answer) in outputs.reversed() { return answer }
        return nil
    }

    mutating func invite(_ number: UInt64) {
        conversations += 1
        secrets += 1
        let invitation = Invitation(
            controller: Self.id(number).description, process: number.paddedHex, name: "Pad \(number)",
            streams: [StreamOffer(StreamDeclaration())], haptics: true, timeout: nil)
        func key(_ kind: UInt64) -> LinkKey { LinkKey(a: secrets, b: kind, c: 0, d: 0) }
        let material = LinkMaterial(
            motionKey: key(1), feedbackKey: key(2), probeKey: key(3), secret: "s",
            secretHash: [UInt8(truncatingIfNeeded: secrets >> 8), UInt8(truncatingIfNeeded: secrets)],
            presentedHash: nil)
        let conversation = ConversationID(rawValue: conversations)
        engine.handle(
            .invite(invitation, from: conversation, over: .udp, material, source: nil), at: now, cipher: ToyCipher())
    }

    /// The link of the controller that was seated last.
    func seated(_ number: UInt64) -> SilentGuest? {
        for case .commit(_, _, .seated(let seated)?) in outputs.reversed() { return SilentGuest(number, seated, now) }
        return nil
    }

    mutating func receive(_ datagram: [UInt8]) {
        engine.handle(
            .datagram(datagram, from: PeerAddress(ipv4: 1, port: 1), arrivedAt: now), at: now, cipher: ToyCipher())
    }

    /// A controller sits, and is heard.
    mutating func join(_ number: UInt64) -> SilentGuest? {
        invite(number)
        turn()
        guard var guest = seated(number) else { return nil }
        receive(guest.datagram(at: now))
        turn()
        return guest
    }
}

/// A controller that says nothing but that it is there, and goodbye.
struct SilentGuest {
    private var link: ControllerLink

    init?(_ number: UInt64, _ seated: Seated, _ now: HostTime) {
        guard let motion = Hexadecimal.decode(seated.link.motionKey).flatMap({ LinkKey(bytes: $0) }),
            let feedback = Hexadecimal.decode(seated.link.feedbackKey).flatMap({ LinkKey(bytes: $0) })
        else { return nil }
        let time = DeviceTime(nanoseconds: now.nanoseconds)
        link = ControllerLink(streams: [StreamDeclaration()], now: time)
        let connection = ConnectionID(rawValue: seated.link.connection)
        link.open(LinkEpoch(connection: connection, sendKey: motion, receiveKey: feedback), continues: false, now: time)
    }

    mutating func datagram(at now: HostTime) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: WireFormat.maximumDatagramSize)
        let sent = bytes.withUnsafeMutableBytes {
            link.nextDatagram(into: $0, cipher: ToyCipher(), now: DeviceTime(nanoseconds: now.nanoseconds))
        }
        return Array(bytes[..<(sent?.size ?? 0)])
    }

    /// A sample of that moment is made.
    ///
    /// - Parameters:
    ///   - force: on the sensor, in g.
    ///   - sideways: the same along its x.
    mutating func append(at time: HostTime, force: Float = 1, sideways: Float = 0) throws {
        let time = DeviceTime(nanoseconds: time.nanoseconds)
        let acceleration = SIMD3(9.81 * sideways, 0, 9.81 * force)
        try link.append(Sample(sampledAt: time, acceleration: acceleration), to: 0, now: time)
    }

    mutating func rezero() throws { try link.send(.rezero) }

    mutating func goodbye(at now: HostTime) -> [UInt8] {
        link.goodbye(.left, now: DeviceTime(nanoseconds: now.nanoseconds))
        return datagram(at: now)
    }
}
