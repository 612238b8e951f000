import LinkEmulation
import RoomEngine
import SessionCoordinator
import WireProtocol

/// What must happen at its time, seen from outside: feedback to those who are heard, and the loss of those who are not.
struct TimingLaw: Sendable {
    /// By connection id: when the network's injector let something through, and when feedback left.
    private var heardAt: [ConnectionID: HostTime] = [:]
    private var fedAt: [ConnectionID: HostTime] = [:]
    /// The host stood still, or was started, until then: nothing could be at its time.
    private var wokeAt: HostTime?

    /// 200 ms between two feedbacks, a service period, and what the simulation's own steps take.
    private static let longestHunger: Duration = .milliseconds(210)

    mutating func heard(_ connection: ConnectionID, _ now: HostTime) { heardAt[connection] = now }

    mutating func fed(_ feedback: [UInt8], _ now: HostTime) {
        let header = feedback.withUnsafeBytes { try? DatagramHeader(reading: $0) }
        if let header { fedAt[header.connection] = now }
    }

    mutating func hostWoke(_ now: HostTime) { wokeAt = now }

    /// A host's next life gives connections the ids of the last one's: what was heard on those says nothing of these.
    mutating func hostStarted(_ now: HostTime) {
        self = TimingLaw()
        wokeAt = now
    }

    /// Whoever plays, at an address that was proven, hears of the host five times a second.
    func problems(_ reports: [PeerReport], _ now: HostTime) -> [String] {
        reports.compactMap { report in
            guard report.seatState == .active, report.transport == .udp, report.isPathValidated,
                let connection = report.connection, let fed = fedAt[connection] ?? heardAt[connection]
            else { return nil }
            let since = now - max(fed, wokeAt ?? fed)
            return since > Self.longestHunger ? "\(report.name) got no feedback for \(since)" : nil
        }
    }

    /// A controller is told to be lost now.
    func lost(_ connection: ConnectionID, after idle: Duration, _ now: HostTime) -> [String] {
        guard let heard = heardAt[connection] else { return [] }
        if let wokeAt, now - wokeAt < idle + .seconds(5) { return [] }
        let silence = now - heard
        if silence < idle - .milliseconds(1) { return ["lost after \(silence), before its time"] }
        return silence > idle + .milliseconds(5) ? ["lost only after \(silence)"] : []
    }
}

/// A source of unsealed frames, as the paper's program sends them: 20 a second, without number and seal.
struct LegacyGuest: Sendable {
    let address = PeerAddress(ipv4: 0x0A00_00FD, port: 5_555)
    private(set) var sent: UInt64 = 0
    private(set) var nextAt: HostTime
    private var milliseconds: UInt64 = 1_000_000

    init(now: HostTime) { nextAt = now + .seconds(1) }

    mutating func fallSilent() { nextAt = .distantFuture }

    /// The next frame, or bytes that are none.
    mutating func frame(_ random: inout SeededGenerator) -> [UInt8] {
        sent += 1
        milliseconds += 50
        nextAt = nextAt + .milliseconds(50)
        var bytes = [UInt8](repeating: 0, count: LegacyFrame.size)
        // Now and then its clock is set, a frame comes twice, or is damaged.
        let fate = random.next() % 200
        if fate == 0 { milliseconds += 1_000_000 }
        let frame = LegacyFrame(
            milliseconds: fate == 1 ? milliseconds - 50 : milliseconds, acceleration: SIMD3(0, 0, -1),
            rotationRate: SIMD3(0, 0, 0))
        bytes.withUnsafeMutableBytes { buffer in
            var writer = ByteWriter(buffer)
            frame.write(to: &writer)
        }
        if fate == 2 { bytes[7] ^= 1 }
        return bytes
    }
}
