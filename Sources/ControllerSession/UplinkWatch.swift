/// Whether the host takes in what the controller sends, where it is heard: by its account, which rises while it does.
///
/// Of eight datagrams in a row one arrives wherever any do: neither a pause, in which nothing is sent, nor a network that
/// loses a fifth of all is the end of the way up. A host that gets no processor time reads before it answers.
struct UplinkWatch: Sendable {
    private static let row = 8
    /// Datagrams that left since the account rose.
    private var unanswered = 0
    /// When the last of a row of them left.
    private(set) var unansweredSince: Int64?

    mutating func sent(at now: Int64) {
        guard unansweredSince == nil else { return }
        unanswered += 1
        if unanswered == Self.row { unansweredSince = now }
    }

    mutating func answered() { self = UplinkWatch() }
}
