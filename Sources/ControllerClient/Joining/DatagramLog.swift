public import ControllerSession
public import WireProtocol

/// One datagram in the sender's own log.
public struct LoggedDatagram: Hashable, Sendable {
    /// The link epoch's connection id.
    public var connection: UInt32
    /// Its number in its link epoch.
    public var number: UInt32
    /// When it was handed to the system.
    public var sentAt: DeviceTime
    /// Bytes, header and tag included.
    public var size: Int
    /// It was sent only because nothing else was.
    public var isHeartbeat: Bool
    /// It says goodbye: the host's books close with the first of these that arrives.
    public var isGoodbye: Bool
    /// The samples in it, run by run.
    public var runs: [RunRecord]
}

/// The sender's own log: what each of its datagrams carried, in the order of sending.
///
/// Kept flat, some 50 bytes a datagram, so that a fleet's logs of minutes fit into memory.
public struct DatagramLog: Hashable, Sendable, RandomAccessCollection {
    private struct Entry: Hashable, Sendable {
        var sentAt: Int64
        var number: UInt32
        var runsEnd: UInt32
        var size: UInt16
        var epoch: UInt16
        var isHeartbeat: Bool
        var isGoodbye: Bool
    }

    /// Datagrams at most: two hours at 140 a second.
    package static let capacity = 1_000_000

    private var entries: [Entry] = []
    private var runs: [RunRecord] = []
    /// The connection ids of the link epochs, in their order.
    public private(set) var connections: [UInt32] = []
    /// Of these the ones with which the host knew nothing of what came before: what is said to it counts from there.
    package private(set) var beginnings: [UInt32] = []

    init() {}

    public var startIndex: Int { 0 }
    public var endIndex: Int { entries.count }

    public subscript(place: Int) -> LoggedDatagram {
        let entry = entries[place]
        let firstRun = place == 0 ? 0 : Int(entries[place - 1].runsEnd)
        return LoggedDatagram(
            connection: connections[Int(entry.epoch)], number: entry.number,
            sentAt: DeviceTime(nanoseconds: entry.sentAt), size: Int(entry.size), isHeartbeat: entry.isHeartbeat,
            isGoodbye: entry.isGoodbye, runs: Array(runs[firstRun..<Int(entry.runsEnd)]))
    }

    /// Notes a datagram, unless the log is full.
    ///
    /// - Parameter continues: whether the host goes on with what it knew before this connection.
    package mutating func note(
        _ sent: SentDatagram, on connection: ConnectionID, continues: Bool, at time: DeviceTime, isGoodbye: Bool
    ) {
        guard entries.count < Self.capacity, connections.count < Int(UInt16.max) else { return }
        if connections.last != connection.rawValue {
            connections.append(connection.rawValue)
            if !continues { beginnings.append(connection.rawValue) }
        }
        runs += sent.runs
        entries.append(
            Entry(
                sentAt: time.nanoseconds, number: sent.number, runsEnd: UInt32(runs.count), size: UInt16(sent.size),
                epoch: UInt16(connections.count - 1), isHeartbeat: sent.isHeartbeat, isGoodbye: isGoodbye))
    }
}
