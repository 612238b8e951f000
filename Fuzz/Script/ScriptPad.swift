import ControllerSession
import RoomSimulation
import SessionCoordinator
import WireProtocol

/// A datagram between a controller and the host, until the script decides what becomes of it.
struct ScriptPacket {
    var bytes: [UInt8]
    /// Where it was sent from, or to.
    var address: PeerAddress
    /// Its entry in the sender's log; `nil` for what the host sent.
    var entry: Int?
}

/// A native controller: a real link, its clock, and what is on its way to and from it.
struct ScriptPad {
    var guest: Guest
    var link: ControllerLink
    var clock: SimulatedClock
    var address: PeerAddress
    var seated: Seated?
    /// What the present link is sealed with.
    var keys: Pad?
    var conversation: ConversationID?
    /// Answers on it that were looked at.
    var answersRead = 0
    /// Connections before it, which the host may take for open still: what it answers there, nobody hears.
    var forsaken: [(conversation: ConversationID, answersRead: Int)] = []
    /// It never hears the answer to its invitation.
    var isDeafToAnswers = false
    /// Whether datagrams cross by themselves; else they wait for the script.
    var flows = true
    var up: [ScriptPacket] = []
    var down: [ScriptPacket] = []
    /// When the sensor reads next; `nil` while it is switched off.
    var nextSampleAt: HostTime?
    var triedAt: HostTime?
    var messagesSent: UInt16 = 0
    /// Samples that its programs before had not brought when they were ended; nobody has them any more.
    var lostAtMost: UInt64 = 0
    private var latestSample = DeviceTime(nanoseconds: .min)

    init(_ number: UInt64, guest: UInt64, clock: SimulatedClock, now: HostTime) {
        self.guest = Guest(guest)
        self.guest.process = number
        self.clock = clock
        address = .lan(UInt8(truncatingIfNeeded: 10 + number), port: 50_000)
        link = ControllerLink(streams: self.guest.streams, now: clock.device(now))
    }

    /// It speaks on another connection from now on.
    mutating func turn(to next: ConversationID) {
        if let conversation { forsaken.append((conversation, answersRead)) }
        (conversation, answersRead) = (next, 0)
    }

    /// The program ends and is started again; it may have kept its secret.
    mutating func restart(keepsSecret: Bool, now: HostTime) {
        guest.process += 16
        lostAtMost += UInt64(link.report.streams[0].unacknowledged)
        link = ControllerLink(streams: guest.streams, now: clock.device(now))
        if !keepsSecret { seated = nil }
        (keys, nextSampleAt, triedAt) = (nil, nil, nil)
        // What is still answered to the program before, nobody hears.
        isDeafToAnswers = true
        messagesSent = 0
    }

    /// The sensor gives so many samples at once, a millisecond apart.
    mutating func sample(_ count: Int, now: HostTime) {
        let time = clock.device(now)
        for _ in 0..<count {
            let next = max(time, latestSample + .milliseconds(1))
            let sample = Sample(sampledAt: next, acceleration: SIMD3(0, 0, 9.81))
            if (try? link.append(sample, to: 0, now: time)) != nil { latestSample = next }
        }
    }

    mutating func readSensor(now: HostTime) {
        guard let at = nextSampleAt, at <= now else { return }
        sample(1, now: now)
        // A sensor does not make up for what it missed.
        nextSampleAt = max(at + .milliseconds(20), now + .microseconds(1))
    }

    /// Everything that is due, as bytes. Afterwards nothing is due any more.
    mutating func send(now: HostTime) -> [(sent: SentDatagram, bytes: [UInt8])] {
        var all: [(SentDatagram, [UInt8])] = []
        var buffer = [UInt8](repeating: 0, count: WireFormat.maximumDatagramSize)
        let time = clock.device(now)
        while let sent = buffer.withUnsafeMutableBytes({
            link.nextDatagram(into: $0, cipher: TestCipher(), now: time)
        }) {
            all.append((sent, Array(buffer[..<sent.size])))
            precondition(all.count < 1_000, "a controller does not stop sending")
        }
        if let due = link.nextDeadline { precondition(due > time, "a controller's deadline lies in the past") }
        return all
    }

    mutating func hear(_ bytes: [UInt8], now: HostTime) -> [LinkEvent] {
        var bytes = bytes
        let time = clock.device(now)
        return bytes.withUnsafeMutableBytes { link.receive($0, cipher: TestCipher(), arrivedAt: time, now: time) }
    }

    /// When something happens here, on the host's clock.
    var nextEvent: HostTime? {
        let due = link.nextDeadline.map { clock.host($0) }
        guard let due, let nextSampleAt else { return due ?? nextSampleAt }
        return min(due, nextSampleAt)
    }
}
