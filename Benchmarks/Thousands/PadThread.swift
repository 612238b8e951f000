import Connections
import ControllerSession
import Datagrams
import Foundation
import RawLoop
import Synchronization
import WireProtocol

/// One thread and one socket for all pads. Each has its moment in an interval, evenly spread, at which it samples and sends
/// whatever is due.
final class PadThread: Sendable {
    /// What the pads do.
    enum Activity: Equatable, Sendable {
        case waiting
        /// So many samples each, at this rate.
        case playing(rate: Double, samples: Int)
        /// They repeat what is not confirmed.
        case settling
        /// They hear, and say nothing: so that two accounts can be compared.
        case silent
        case leaving
        case ended
    }

    /// What was asked, and how far it is.
    struct Standing: Sendable {
        var asked = Activity.waiting
        /// The activity that the thread has come to, and, of one that ends by itself, has done.
        var done = Activity.waiting
        /// Milliseconds by which samples were made too late, of each in the last play.
        var lateness: [Double] = []
        var books: [PadBooks] = []
    }

    /// Between two looks at a pad, in nanoseconds, at most: heartbeats and repeats have theirs.
    private static let longestInterval: Int64 = 250_000_000

    private let newcomers = Mutex<[(Int, PadSeat)]>([])
    let standing = Watched(Standing())

    init(capacity: Int, rate: Double) {
        let thread = Thread { [self] in
            var work = Work(capacity: capacity, rate: rate)
            work.run(self)
        }
        thread.name = "pads"
        thread.start()
    }

    func take(_ number: Int, _ seat: PadSeat) { newcomers.withLock { $0.append((number, seat)) } }

    struct Stuck: Error, CustomStringConvertible {
        let description = "the pads did not come to an end within half a minute; has the room thrown some out?"
    }

    /// Returns when the thread has come to it, and a play to its end.
    func ask(_ activity: Activity) async throws {
        standing.change { $0.asked = activity }
        guard await standing.first(within: .seconds(30), where: { $0.done == activity }) != nil else { throw Stuck() }
    }

    static func now() -> DeviceTime {
        DeviceTime(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }

    private struct Work {
        private let rate: Double
        private let socket: DatagramSocket
        private let incoming = IncomingBatch()
        private let outgoing = OutgoingBatch()
        private var cipher = LinkCipher.preferred(for: .aes256gcm)
        private var room = PeerAddress.any(port: 0)
        private var pads: [Pad?]
        private var places: [ConnectionID: Int] = [:]
        private var activity = Activity.waiting
        private var isDone = true
        /// Since when it goes on, and how many moments of pads have passed since.
        private var began = PadThread.now()
        private var moments = 0
        private var lateness: [Double] = []

        init(capacity: Int, rate: Double) {
            self.rate = rate
            pads = Array(repeating: nil, count: capacity)
            var options = DatagramSocket.Options()
            options.receiveBufferBytes = 64 << 20
            guard let socket = try? DatagramSocket(options: options) else { preconditionFailure("pads have a socket") }
            self.socket = socket
        }

        mutating func run(_ thread: PadThread) {
            // Else several pads would be due at once, and speak together.
            raw_sleep_exactly()
            while activity != .ended {
                let asked = thread.standing.value.asked
                if asked != activity { begin(asked) }
                welcome(thread)
                hear()
                visit()
                report(thread)
                let pause = due(moments) - PadThread.now().nanoseconds
                _ = socket.wait(atMost: .nanoseconds(min(1_000_000, max(0, pause))))
            }
        }

        private mutating func begin(_ asked: Activity) {
            activity = asked
            (isDone, moments, began) = (asked == .waiting || asked == .silent || asked == .ended, 0, PadThread.now())
            if case .playing(_, let samples) = asked {
                lateness = []
                lateness.reserveCapacity(samples * pads.count)
            }
            if asked == .leaving { for place in pads.indices { pads[place]?.leave(now: PadThread.now()) } }
        }

        private mutating func welcome(_ thread: PadThread) {
            let newcomers = thread.newcomers.withLock { newcomers in
                defer { newcomers = [] }
                return newcomers
            }
            for (number, seat) in newcomers {
                room = PeerAddress(ipv4: 0x7F00_0001, port: seat.port)
                cipher = .preferred(for: seat.suite)
                pads[number] = Pad(number, seat: seat, rate: rate, now: PadThread.now())
                places[seat.epoch.connection] = number
                // A seat is kept for whoever is heard on its link.
                send(number)
            }
        }

        private mutating func hear() {
            while let count = try? socket.receive(into: incoming), count > 0 {
                let now = PadThread.now()
                for place in 0..<count {
                    let feedback = incoming[place]
                    guard let header = try? DatagramHeader(reading: UnsafeRawBufferPointer(feedback)),
                        let pad = places[header.connection]
                    else { continue }
                    pads[pad]?.hear(feedback, cipher, now: now)
                }
                if count < IncomingBatch.depth { break }
            }
        }

        /// Looks at each pad a sample: a rate below that of the looks has a sample at every so many of them.
        private var looks: Int {
            guard case .playing(let rate, _) = activity else { return 1 }
            return max(1, Int((1e9 / rate / Double(PadThread.longestInterval)).rounded(.up)))
        }

        private var interval: Int64 {
            guard case .playing(let rate, _) = activity else { return PadThread.longestInterval }
            return Int64(1e9 / rate / Double(looks))
        }

        private func due(_ moment: Int) -> Int64 {
            let (round, place) = (Int64(moment / pads.count), Int64(moment % pads.count))
            return began.nanoseconds + round * interval + place * interval / Int64(pads.count)
        }

        private mutating func visit() {
            if activity == .silent { return }
            while true {
                let now = PadThread.now().nanoseconds
                guard due(moments) <= now else { break }
                let (round, place, moment) = (moments / pads.count, moments % pads.count, due(moments))
                if case .playing(_, let samples) = activity {
                    if round % looks == 0, round / looks < samples {
                        pads[place]?.sample(at: DeviceTime(nanoseconds: moment), now: PadThread.now())
                        lateness.append(Double(now - moment) / 1e6)
                    }
                    isDone = round / looks >= samples
                }
                send(place)
                moments += 1
            }
            flush()
            switch activity {
            case .settling: isDone = moments >= pads.count && pads.allSatisfy { $0?.isSettled ?? true }
            case .leaving: isDone = moments >= 2 * pads.count
            default: break
            }
        }

        private mutating func send(_ place: Int) {
            while true {
                if outgoing.isFull { flush() }
                guard let size = pads[place]?.write(into: outgoing.room, cipher, now: PadThread.now()) else { return }
                outgoing.append(size, to: room)
            }
        }

        private func flush() { if !outgoing.isEmpty { socket.send(outgoing) } }

        private func report(_ thread: PadThread) {
            guard isDone, thread.standing.value.done != activity else { return }
            let books = activity == .silent ? pads.compactMap { $0?.books } : []
            thread.standing.change {
                $0.done = activity
                if !books.isEmpty { $0.books = books }
                if case .playing = activity { $0.lateness = lateness }
            }
        }
    }
}
