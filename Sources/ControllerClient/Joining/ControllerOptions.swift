public import Identity
public import PeerDiscovery
public import PrivateFiles
public import WireProtocol

/// What a controller is, and what it tells a room about itself when it asks for a seat.
public struct ControllerOptions: Sendable {
    /// What becomes of the haptics that a host commands.
    public enum Haptics: Hashable, Sendable {
        /// The controller has nothing to play them with, and says so when it joins.
        case none
        /// They are shown or printed: each counts as played when it arrives, if that is in time.
        case shown
        /// The program answers each with ``Controller/played(_:at:)`` or ``Controller/refused(_:because:)``. It does not
        /// hear of what arrives too late, which is refused already.
        case answered
    }

    /// What people call the controller: 1 to 63 bytes.
    public var name: String
    /// Its sensors: 1 to 8, each with a number of its own.
    public var streams: [StreamDeclaration]
    /// What becomes of the haptics that a host commands.
    public var haptics: Haptics
    /// The application's own bytes for the host, at most 1,024.
    public var context: [UInt8]
    /// What admits to the room, where its policy wants one. Sent only to a host that is trusted.
    public var code: AdmissionCode?
    /// How long joining may take, an operator's decision included: 1 ms to 600 s.
    public var timeout: Duration
    /// How rooms are looked for by name: also one that does not answer where it was.
    public var discovery: DiscoveryMode = .auto
    /// Where the controller keeps who it is, its seats, and the rooms that it trusts; `nil` keeps nothing.
    public var stateFolder: StateFolder?
    /// Whether ``Controller/datagramLog()`` tells which samples went in which datagram: the sender's log of a proof.
    public var logsDatagrams: Bool
    /// Sends datagrams to this address instead of the host's own: a relay, for trying bad networks.
    public var linkVia: PeerAddress?
    /// Works for this controller's link and for others'; `nil` gives it a thread of its own.
    package var linkThread: LinkThread?
    /// Told in a line for people where what the controller remembers could not be understood, and was put aside.
    package var onDamagedMemory: (@Sendable (String) -> Void)?
    /// The host called this controller: what admits it, and as whom.
    package var called: Called?

    package struct Called: Sendable {
        /// 64 hexadecimal digits; said only to the room whose pin came with it.
        package var ticket: String
        package var id: ControllerID
        /// Another room sent the controller here, and vouches for the key: enough to play there, and not to have this user
        /// know the room from now on.
        package var isMoved = false
    }
    /// Whether it waits, for as long as it takes, where all seats are taken; else joining fails then.
    public var waitsForSeat = false
    /// Told of its place in the queue for a seat, from 1, whenever that changes.
    public var onQueue: (@Sendable (Int) -> Void)?
    /// Told when the host has asked its operator, with the time that it will wait for him.
    public var onWaiting: (@Sendable (Duration) -> Void)?

    /// A controller with one stream of 100 samples a second, unless it says otherwise.
    ///
    /// - Parameters:
    ///   - name: 1 to 63 bytes.
    ///   - streams: 1 to 8.
    ///   - context: the application's own bytes, at most 1,024.
    ///   - timeout: 1 ms to 600 s.
    public init(
        name: String, streams: [StreamDeclaration] = [StreamDeclaration()], haptics: Haptics = .shown,
        context: [UInt8] = [], code: AdmissionCode? = nil, timeout: Duration = .seconds(30),
        stateFolder: StateFolder? = nil, logsDatagrams: Bool = false,
        onWaiting: (@Sendable (Duration) -> Void)? = nil
    ) {
        self.name = name
        self.streams = streams
        self.haptics = haptics
        self.context = context
        self.code = code
        self.timeout = timeout
        self.stateFolder = stateFolder
        self.logsDatagrams = logsDatagrams
        self.onWaiting = onWaiting
    }

    /// Why no room would take a controller like this, in words for whoever wrote it; `nil` when one may.
    public var problem: String? {
        guard (1...63).contains(name.utf8.count) else { return "a controller's name has 1 to 63 bytes" }
        guard name.unicodeScalars.allSatisfy(isPrintable) else {
            return "a controller's name has no control characters"
        }
        guard (1...WireFormat.mostStreams).contains(streams.count) else {
            return "a controller has 1 to \(WireFormat.mostStreams) streams"
        }
        for stream in streams {
            if let problem = stream.problem { return "stream \(stream.stream): \(problem)" }
        }
        guard Set(streams.map(\.stream)).count == streams.count else { return "two streams have the same number" }
        guard context.count <= 1_024 else { return "the context has at most 1,024 bytes" }
        guard (Duration.milliseconds(1)...Duration.seconds(600)).contains(timeout) else {
            return "the time limit must be 1 ms to 600 s"
        }
        return nil
    }
}
