import Foundation
import LossyPaths

/// Samples on their way by one protocol.
protocol SampleFlow: AnyObject {
    /// Takes the next sample, by its place from 0, which was made then.
    func make(_ sample: UInt32, at time: Int64, now: Int64)
    /// Lets both ends work, and tells which samples the host's program has newly in its hands.
    func work(now: Int64, _ arrived: (UInt32) -> Void)
}

/// What a sample is to those who know none: as many bytes as ENet's packets have elsewhere, its place in front.
private let size = 64

/// One TCP connection, without Nagle's delay, by the kernel's defaults.
final class TCPFlow: SampleFlow {
    private var sender: Int32 = -1
    private var receiver: Int32 = -1
    private var unsent: [UInt8] = []
    private var unread: [UInt8] = []
    private var room = [UInt8](repeating: 0, count: 65_536)

    init(_ ends: LossyNetworks.Ends) throws {
        let result = path_tcp(ends.pad, ends.host, ends.address, &sender, &receiver)
        guard result == 0 else {
            throw LossBenchmark.Missing(description: "TCP does not connect: \(String(cString: strerror(-result)))")
        }
    }

    deinit {
        close(sender)
        close(receiver)
    }

    func make(_ sample: UInt32, at _: Int64, now _: Int64) {
        var record = [UInt8](repeating: 0, count: size)
        withUnsafeBytes(of: sample.littleEndian) { record.replaceSubrange(0..<4, with: $0) }
        unsent += record
        push()
    }

    func work(now _: Int64, _ arrived: (UInt32) -> Void) {
        push()
        while true {
            let count = room.withUnsafeMutableBytes { read(receiver, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            unread += room[..<count]
        }
        var place = 0
        while place + size <= unread.count {
            arrived(
                unread.withUnsafeBytes {
                    UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt32.self))
                })
            place += size
        }
        if place > 0 { unread.removeFirst(place) }
    }

    private func push() {
        guard !unsent.isEmpty else { return }
        let count = unsent.withUnsafeBytes { send(sender, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count > 0 { unsent.removeFirst(count) }
    }
}

/// One peer of ENet's, each sample a reliable packet on one channel.
final class ENetFlow: SampleFlow {
    private let pair: OpaquePointer
    private var room = [UInt8](repeating: 0, count: size)

    init(_ ends: LossyNetworks.Ends) throws {
        var why: UnsafePointer<CChar>?
        guard let pair = path_enet_open(ends.pad, ends.host, ends.address, &why) else {
            throw LossBenchmark.Missing(description: why.map { String(cString: $0) } ?? "ENet does not start")
        }
        self.pair = pair
    }

    deinit { path_enet_close(pair) }

    func make(_ sample: UInt32, at _: Int64, now _: Int64) {
        withUnsafeBytes(of: sample.littleEndian) { room.replaceSubrange(0..<4, with: $0) }
        _ = path_enet_send(pair, room, size)
    }

    func work(now _: Int64, _ arrived: (UInt32) -> Void) {
        var came = [UInt8](repeating: 0, count: size)
        while path_enet_receive(pair, &came, size) == size {
            arrived(came.withUnsafeBytes { UInt32(littleEndian: $0.loadUnaligned(as: UInt32.self)) })
        }
    }
}
