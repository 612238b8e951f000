package import Datagrams
package import RoomEngine
package import SessionCoordinator
package import WireProtocol

/// One host's time as the owner of a room that can outlive it, as the room itself sees it.
///
/// The room asks ``fence`` before each turn, and tells what a successor must know. None of these calls waits.
package protocol RoomTenure: Sendable {
    /// Which tenure of the room it is, from 1.
    var epoch: UInt64 { get }
    /// When the room was opened, by its first owner of this opening.
    var opened: String { get }
    /// The number of the room's `hello` here, 0 for its first owner: events are numbered from the next one on.
    var lastEvent: Int { get }
    var fence: ActingFence { get }
    /// Another host owns the room, or it was handed over: it ends here without a word.
    var isOver: Bool { get }
    /// The room closes here for another host to go on with it.
    var isHandover: Bool { get }
    /// How it stands, in words for people.
    var words: String { get }

    /// Calls back, on any thread, when ``isOver`` or ``fence`` has changed; one at a time.
    func onChange(_ change: (@Sendable () -> Void)?)

    /// The room is open with this.
    func begin(with heritage: RoomHeritage)
    func keep(_ changes: [LeaseChange])
    func keep(_ talents: PlayerTalents, of controller: ControllerID)
    /// One of ``RoomHeritage/fileNames`` has this text now.
    func keep(_ text: String, asFile name: String)

    /// Whether an event of this number may be told to the site: no later owner will use it again.
    func mayTell(_ number: Int) -> Bool

    /// The room is about to close for another host to go on.
    ///
    /// - Throws: `RoomError` where none is ready.
    func prepareHandover() throws

    /// The room is about to close as its host ends, and not because anybody wants it closed: a standby that is ready goes
    /// on with it, or else this host when it is back.
    ///
    /// - Returns: whether a standby does.
    func leave() -> Bool
}

extension RoomTenure {
    /// Whether the room is this host's at this moment.
    package var mayAct: Bool { fence.isOpen }
}
