import CNATS
import Synchronization

/// Whom the library's callbacks are for, by number.
///
/// The library is given a number in place of a pointer: what calls back late finds nobody, and touches no freed memory.
enum BrokerCallbacks {
    enum Receiver: Sendable {
        case message(@Sendable (BrokerMessage) -> Void)
        case closed(@Sendable () -> Void)
    }

    private struct Table {
        var next: UInt = 1
        var receivers: [UInt: Receiver] = [:]
    }
    private static let table = Mutex(Table())

    static func add(_ receiver: Receiver) -> UInt {
        table.withLock { table in
            defer { table.next += 1 }
            table.receivers[table.next] = receiver
            return table.next
        }
    }

    static func remove(_ number: UInt) { table.withLock { _ = $0.receivers.removeValue(forKey: number) } }

    /// What the library is given for a number.
    static func closure(_ number: UInt) -> UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: number) }

    private static func receiver(_ closure: UnsafeMutableRawPointer?) -> Receiver? {
        let number = UInt(bitPattern: closure)
        return table.withLock { $0.receivers[number] }
    }

    static let received: nats_received = { _, _, message, closure in
        guard let message else { return }
        let copy = BrokerMessage(taking: message)
        if case .message(let receive) = receiver(closure) { receive(copy) }
    }

    /// Comes once a connection.
    static let closed: nats_closed = { _, closure in
        let receiver = receiver(closure)
        remove(UInt(bitPattern: closure))
        if case .closed(let tell) = receiver { tell() }
    }
}
