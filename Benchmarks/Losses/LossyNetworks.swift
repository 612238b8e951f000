import Foundation
import LinkEmulation
import LossyPaths
import Synchronization

/// Networks between two hosts of this machine, whose packets a thread carries from one end to the other: late, or not at all.
final class LossyNetworks: Sendable {
    /// Where a stream comes from, and where it goes to.
    struct Ends: Sendable {
        /// The hosts, for ``path_enter(_:)``.
        let pad: Int32
        let host: Int32
        /// The host's address on this network, IPv4.
        let address: UInt32
    }

    /// One network, from the pad to the host and back.
    private struct Way: Sendable {
        let devices: [Int32]
        var links: [ImpairedLink<[UInt8]>]
    }

    private let pad: Int32
    private let host: Int32
    private let ways: Mutex<[Way]>
    private let isOver = Atomic(false)
    private let done = DispatchSemaphore(value: 0)

    init(count: Int) throws {
        func made(_ descriptor: Int32) throws -> Int32 {
            guard descriptor >= 0 else {
                throw LossBenchmark.Missing(
                    description: "two hosts in network namespaces need root: \(String(cString: strerror(-descriptor)))")
            }
            return descriptor
        }
        (pad, host) = (try made(path_host()), try made(path_host()))
        var ways: [Way] = []
        let open = ImpairedLink<[UInt8]>(NetworkConditions(), seed: 0)
        for number in 0..<count {
            let address = Self.address(number)
            ways.append(
                Way(
                    devices: [
                        try made(path_end(pad, address + 1, address)), try made(path_end(host, address, address + 1)),
                    ],
                    links: [open, open]))
        }
        self.ways = Mutex(ways)
    }

    /// 10.66.0.0 and on, four for each.
    private static func address(_ number: Int) -> UInt32 { 0x0A42_0000 + UInt32(number) * 4 + 1 }

    func ends(of way: Int) -> Ends { Ends(pad: pad, host: host, address: Self.address(way)) }

    /// From now on the network is like this; what was under way is gone.
    func begin(_ conditions: NetworkConditions, seed: UInt64, on way: Int) {
        ways.withLock { ways in
            // One direction's draws are not the other's.
            ways[way].links = [
                ImpairedLink(conditions, seed: seed), ImpairedLink(conditions, seed: seed + 1_000_000),
            ]
        }
    }

    func start() {
        let thread = Thread { [self] in
            carry()
            done.signal()
        }
        thread.start()
    }

    /// Nothing is carried any more.
    func stop() {
        isOver.store(true, ordering: .relaxed)
        done.wait()
    }

    private func carry() {
        let devices = ways.withLock { $0.flatMap(\.devices) }
        var isReadable = [Bool](repeating: false, count: devices.count)
        var packet = [UInt8](repeating: 0, count: 2_048)
        while !isOver.load(ordering: .relaxed) {
            let now = nanoseconds()
            let next = ways.withLock { ways -> Int64 in
                var next = now + 20_000_000
                for place in devices.indices {
                    let (way, side) = (place / 2, place % 2)
                    if isReadable[place] { take(from: devices[place], &packet, into: &ways[way].links[side], now) }
                    for arrival in ways[way].links[side].deliver(until: now) {
                        // A device whose queue is full loses it, as a network would.
                        _ = arrival.payload.withUnsafeBytes {
                            write(ways[way].devices[1 - side], $0.baseAddress, $0.count)
                        }
                    }
                    next = min(next, ways[way].links[side].nextDeadline ?? next)
                }
                return next
            }
            path_wait(devices, devices.count, &isReadable, next - nanoseconds())
        }
    }

    private func take(
        from device: Int32, _ packet: inout [UInt8], into link: inout ImpairedLink<[UInt8]>, _ now: Int64
    ) {
        while true {
            let count = packet.withUnsafeMutableBytes { read(device, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            // What IPv6 says to find routers is nobody's sample.
            if packet[0] >> 4 == 4 { _ = link.send(Array(packet[..<count]), at: now) }
        }
    }
}
