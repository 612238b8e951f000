import Datagrams
import LinkEmulation
import Roomful
import WireProtocol

/// What a relay is told to do.
struct RelaySetup: Sendable {
    var listen: PeerAddress
    /// The room.
    var host: PeerAddress
    /// What happens on the way to the room, and on the way back.
    var up: NetworkConditions
    var down: NetworkConditions
    var seed: UInt64
    /// Where the journal of fates goes.
    var fates: String?
}

/// The one thread of a relay: takes datagrams from controllers and the room, and passes each on when its time has come.
final class RelayLoop: Sendable {
    private static let mostSenders = 16_384
    /// What is due is passed on up to this late, never early: so a wake serves many.
    private static let step: Int64 = 500_000

    /// Where it listens, with the port that the system chose if none was asked for.
    let address: PeerAddress
    private let setup: RelaySetup
    private let front: DatagramSocket
    private let bell: Doorbell
    private let watch: Watch

    /// Opens the port.
    init(_ setup: RelaySetup) throws(SocketError) {
        self.setup = setup
        var options = DatagramSocket.Options()
        options.receiveBufferBytes = 32 << 20
        front = try DatagramSocket(at: setup.listen, options: options)
        bell = try Doorbell()
        watch = try Watch()
        address = front.address
    }

    /// Makes ``run()`` return; from any thread.
    func stop() { bell.ring() }

    /// Works until ``stop()``; what is on its way then is delivered at once, in its order.
    ///
    /// - Throws: when the journal cannot be made.
    func run() throws -> RelayReport {
        let begin = Controller.deviceTimeNow().nanoseconds
        var work = Work(
            loop: self, books: RelayBooks(try setup.fates.map { try FateJournal(path: $0, begin: begin) }))
        return work.run()
    }

    /// What only the thread touches.
    private struct Work: ~Copyable {
        static let bellLabel = UInt64.max
        static let frontLabel = UInt64.max - 1

        let loop: RelayLoop
        var books: RelayBooks
        var senders: [RelayedSender] = []
        /// When each has something to pass on, in nanoseconds; read through at every wake.
        var dueAt: [Int64] = []
        var places: [PeerAddress: Int] = [:]
        let incoming = IncomingBatch()
        let toHost = OutgoingBatch()
        let toControllers = OutgoingBatch()

        init(loop: RelayLoop, books: consuming RelayBooks) {
            self.loop = loop
            self.books = books
        }

        mutating func run() -> RelayReport {
            var labels = [UInt64](repeating: 0, count: 256)
            _ = loop.watch.add(loop.bell.descriptor, label: Self.bellLabel)
            _ = loop.watch.add(loop.front.descriptor, label: Self.frontLabel)
            var isStopped = false
            while !isStopped {
                let count = loop.watch.wait(into: &labels, atMost: timeToSleep)
                let now = Controller.deviceTimeNow().nanoseconds
                for label in labels[..<count] {
                    switch label {
                    case Self.bellLabel: isStopped = true
                    case Self.frontLabel: takeFromControllers(at: now)
                    default: takeFromRoom(Int(label), at: now)
                    }
                }
                if isStopped { takeFromControllers(at: now) }
                passOn(until: isStopped ? .max : now, at: now)
            }
            books.report.kernelDrops = ([loop.front] + senders.map(\.socket)).reduce(0) { sum, socket in
                guard let sum, let drops = socket.kernelDrops else { return nil }
                return sum + drops
            }
            return books.close()
        }

        private var timeToSleep: Duration? {
            guard let next = dueAt.min(), next < .max else { return nil }
            let step = (next + RelayLoop.step - 1) / RelayLoop.step * RelayLoop.step
            return .nanoseconds(max(0, step - Controller.deviceTimeNow().nanoseconds))
        }

        private mutating func takeFromControllers(at now: Int64) {
            while let count = try? loop.front.receive(into: incoming), count > 0 {
                for index in 0..<count {
                    guard let place = place(of: incoming.sender(at: index)) else {
                        books.report.turnedAway += 1
                        continue
                    }
                    senders[place].sendUp(UnsafeRawBufferPointer(incoming[index]), at: now, books: &books)
                    dueAt[place] = senders[place].nextDeadline ?? .max
                }
            }
        }

        private mutating func takeFromRoom(_ place: Int, at now: Int64) {
            while let count = try? senders[place].socket.receive(into: incoming), count > 0 {
                for index in 0..<count {
                    senders[place].sendDown(UnsafeRawBufferPointer(incoming[index]), at: now, books: &books)
                }
                if count < IncomingBatch.depth { break }
            }
            dueAt[place] = senders[place].nextDeadline ?? .max
        }

        private mutating func passOn(until limit: Int64, at now: Int64) {
            for place in dueAt.indices where dueAt[place] <= limit {
                senders[place].passOn(
                    until: limit, at: now, to: loop.setup.host, through: toHost, front: loop.front,
                    back: toControllers, books: &books)
                dueAt[place] = senders[place].nextDeadline ?? .max
            }
            books.report.unsentDown += toControllers.flush(from: loop.front)
        }

        private mutating func place(of address: PeerAddress) -> Int? {
            if let known = places[address] { return known }
            let place = senders.count
            guard place < RelayLoop.mostSenders,
                let sender = try? RelayedSender(address, place: place, setup: loop.setup),
                loop.watch.add(sender.socket.descriptor, label: UInt64(place))
            else { return nil }
            places[address] = place
            senders.append(sender)
            dueAt.append(.max)
            return place
        }
    }
}
