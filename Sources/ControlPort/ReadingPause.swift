import Datagrams
import Glibc
import NIOCore
import NIOPosix
import WireProtocol

/// Lets what browsers send gather for a moment on the thread that reads their connections, as the room's thread does with
/// its socket: where many play, most of what a datagram costs is the waking for it.
///
/// One for each such thread, and only where several datagrams come within the moment. What the thread does else, for other
/// connections of the program too, is as late by it, half a millisecond as a rule. Connections have no stamps of the
/// kernel: what is read counts as it arrives.
final class ReadingPause {
    // Each thread sees its own alone.
    private nonisolated(unsafe) static let ofThisThread = ThreadSpecificVariable<ReadingPause>()

    private var gathering: Gathering
    /// Datagrams read so far.
    private var count: UInt64 = 0
    /// The thread pauses once it has read what else is there.
    private var isDue = false

    private init(_ window: Duration) { gathering = Gathering(atMost: window, now: HostClock.now()) }

    /// That of the thread that this runs on. Rooms of one program share their threads; the last that asks for another
    /// window has it.
    static func here(atMost window: Duration) -> ReadingPause? {
        guard window > .zero else { return nil }
        if let known = ofThisThread.currentValue {
            if known.gathering.window != window.wholeNanoseconds {
                (known.gathering, known.count) = (Gathering(atMost: window, now: HostClock.now()), 0)
            }
            return known
        }
        let made = ReadingPause(window)
        ofThisThread.currentValue = made
        return made
    }

    /// Datagrams were read from a connection of this loop.
    func note(_ datagrams: Int, arrivedAt: HostTime, on loop: any EventLoop) {
        count &+= UInt64(datagrams)
        guard !isDue, let pause = gathering.pause(arrived: count, isBehind: false, now: arrivedAt) else { return }
        isDue = true
        // Runs after all that could be read at once.
        loop.assumeIsolated().execute { self.rest(until: arrivedAt + .nanoseconds(pause)) }
    }

    /// What reading took is time in which the next have gathered.
    private func rest(until end: HostTime) {
        isDue = false
        let left = (end - HostClock.now()).wholeNanoseconds
        guard left > 0 else { return }
        var time = timespec(tv_sec: 0, tv_nsec: Int(left))
        nanosleep(&time, nil)
    }
}
