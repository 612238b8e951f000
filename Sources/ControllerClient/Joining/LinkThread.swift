package import Datagrams
import Foundation
import Synchronization
import WireProtocol

/// A thread that works for the links of one or more controllers: it sleeps until a datagram comes, something is left
/// for a link, or a link's deadline passes.
///
/// Each controller has one to itself unless its options name one that it shares.
package final class LinkThread: Sendable {
    private enum Progress: Int, AtomicRepresentable { case idle, running, finishing }

    private let watch: Watch
    private let bell: Doorbell
    private let newcomers: Mailbox<LinkDesk>
    private let progress = Atomic(Progress.idle)
    private let wakeUps = Atomic(0)
    private let processorNanoseconds = Atomic(0)

    /// - Parameter capacity: links that may wait to be taken at once.
    package init(capacity: Int = 1) throws(SocketError) {
        watch = try Watch()
        bell = try Doorbell()
        newcomers = Mailbox(capacity: capacity, bell: bell)
        guard watch.add(bell.descriptor, label: .max) else {
            throw SocketError(number: ENOSPC, doing: "cannot watch descriptors")
        }
    }

    /// How often it has woken, and how much processor time it has used: what a battery feels.
    package var effort: (wakeUps: Int, processorTime: Duration) {
        (wakeUps.load(ordering: .relaxed), .nanoseconds(processorNanoseconds.load(ordering: .relaxed)))
    }

    /// Works for the link from now on, until it has been left.
    package func serve(_ desk: LinkDesk) {
        let isTaken = newcomers.post(desk)
        precondition(isTaken, "a thread has room for as many links as it was made for")
        guard progress.compareExchange(expected: .idle, desired: .running, ordering: .relaxed).exchanged else { return }
        let thread = Thread {
            nameThisThread("roomful-link")
            self.run()
        }
        thread.start()
    }

    /// Ends the thread when its last link has been left; nothing may come after.
    package func finish() {
        progress.store(.finishing, ordering: .releasing)
        bell.ring()
    }

    private func run() {
        var crew = LinkCrew(watch)
        var labels = [UInt64](repeating: 0, count: 256)
        var desks: [LinkDesk] = []
        while true {
            // Looked at first: whoever was to be served before the end is in the mailbox by then.
            let isFinishing = progress.load(ordering: .acquiring) == .finishing
            newcomers.drain(into: &desks)
            for desk in desks { crew.take(desk) }
            crew.workWhereDue()
            if isFinishing, crew.isEmpty { return }
            processorNanoseconds.store(DeviceClock.threadNanoseconds(), ordering: .relaxed)
            let count = watch.wait(into: &labels, atMost: crew.timeToSleep)
            wakeUps.wrappingAdd(1, ordering: .relaxed)
            for label in labels[..<count] {
                if label == .max { bell.silence() } else { crew.wake(label) }
            }
        }
    }
}

/// The links that one thread works for, each in its place.
private struct LinkCrew {
    private let watch: Watch
    private let batches = LinkWork.Batches()
    private var works: [LinkWork?] = []
    /// When each is due, in nanoseconds; read through at every wake: a thousand cost about a microsecond.
    private var dueAt: [Int64] = []
    private var free: [Int] = []

    init(_ watch: Watch) { self.watch = watch }

    var isEmpty: Bool { free.count == works.count }

    var timeToSleep: Duration? {
        guard let next = dueAt.min(), next < .max else { return nil }
        return DeviceTime(nanoseconds: next) - DeviceClock.now()
    }

    mutating func take(_ desk: LinkDesk) {
        let place = free.popLast() ?? works.endIndex
        if place == works.endIndex {
            works.append(nil)
            dueAt.append(.max)
        }
        works[place] = LinkWork(desk)
        let isWatched =
            watch.add(desk.socket.descriptor, label: UInt64(place) << 1)
            && watch.add(desk.bell.descriptor, label: UInt64(place) << 1 | 1)
        precondition(isWatched, "the system watches as many descriptors as it lets a program open")
        turn(place, isReadable: false)
    }

    /// Something came for the link that the label names.
    mutating func wake(_ label: UInt64) {
        let place = Int(label >> 1)
        let isBell = label & 1 == 1
        if isBell { works[place]?.desk.bell.silence() }
        turn(place, isReadable: !isBell)
    }

    mutating func workWhereDue() {
        let now = DeviceClock.now().nanoseconds
        for place in dueAt.indices where dueAt[place] <= now { turn(place, isReadable: false) }
    }

    private mutating func turn(_ place: Int, isReadable: Bool) {
        guard let work = works[place] else { return }
        work.turn(isReadable: isReadable, with: batches)
        guard work.isOver else {
            dueAt[place] = work.nextDeadline?.nanoseconds ?? .max
            return
        }
        watch.remove(work.desk.socket.descriptor)
        watch.remove(work.desk.bell.descriptor)
        works[place] = nil
        dueAt[place] = .max
        free.append(place)
        work.end()
    }
}
