public import WireProtocol

/// Somebody who wants a seat and has none: it waits for the operator, or for a seat to fall free.
public struct Newcomer: Hashable, Sendable {
    /// Its stable identity, as it says; nothing proves it before it has a seat.
    public var controller: ControllerID
    /// What it is called, unlike everybody else here.
    public var name: String
    /// When it asked, or came into the queue.
    public var since: HostTime
    /// The other end of its connection; `nil` where there is none, or nobody knows.
    public var source: PeerAddress?
    /// How its datagrams would come.
    public var transport: Transport
    /// Its place in the queue for a seat, from 1; `nil` when it waits for the operator.
    public var place: Int?
    /// Whether it is connected: a place in the queue is kept for a while without.
    public var isPresent: Bool
}

/// An invitation that the operator has not answered.
struct Asking: Sendable {
    var conversation: ConversationID
    var invitation: AdmittedInvitation
    var material: LinkMaterial
    let since: HostTime
    var deadline: HostTime
    /// What it is called while it asks, and the seat whose colour that names; no seat where none was free.
    let name: String
    var seat: Int?
}

/// An admitted invitation that waits for a seat to fall free.
struct Queued: Sendable {
    /// `nil` while it is not connected.
    var conversation: ConversationID?
    var invitation: AdmittedInvitation
    /// Of its last connection; its secret brings it back to its place.
    var material: LinkMaterial
    let since: HostTime
    var lastHeard: HostTime
    let name: String
    /// The place that it was told last.
    var toldPlace: Int?
    /// The operator lets it in.
    var isCalled = false

    var isPresent: Bool { conversation != nil }
}

extension Coordinator {
    /// Those who wait: for the operator, oldest first, then for a seat, in their order.
    public var newcomers: [Newcomer] {
        var list = asking.map { entry in
            Newcomer(
                controller: entry.invitation.controller, name: entry.name, since: entry.since,
                source: entry.invitation.source, transport: entry.invitation.transport, place: nil, isPresent: true)
        }
        list += legacy.waiting.map { source in
            Newcomer(
                controller: source.controller, name: source.name, since: source.since, source: source.address,
                transport: .legacy, place: nil, isPresent: true)
        }
        for (place, entry) in queue.enumerated() {
            // A place that is kept for one that asks anew, perhaps another, stands in nobody's way.
            let asks = asking.contains { $0.invitation.controller == entry.invitation.controller }
            guard entry.isPresent || !asks else { continue }
            let newcomer = Newcomer(
                controller: entry.invitation.controller, name: entry.name, since: entry.since,
                source: entry.invitation.source, transport: entry.invitation.transport, place: place + 1,
                isPresent: entry.isPresent)
            list.append(newcomer)
        }
        return list
    }

    /// The most that ``newcomers`` can be.
    public static let mostNewcomers = mostAsking + LegacySources.mostWaiting + mostQueued

    /// What those are called who are here or wait.
    var allNames: [String] { peerNames() + asking.map(\.name) + queue.map(\.name) }
}
