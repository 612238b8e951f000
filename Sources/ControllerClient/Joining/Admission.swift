import ControllerSession
import Identity
package import WireProtocol

/// A host's yes with every field checked, ready to be acted on.
struct Admission: Sendable {
    let seat: Seat
    let epoch: LinkEpoch
    let suite: CipherSuite
    /// Of UDP, on the address that TCP led to.
    let port: UInt16
    /// What brings the controller back next time.
    let secret: String
    let continues: Bool
    /// How long the seat is kept for a controller that is not heard.
    let patience: Duration

    /// - Throws: `notARoom`, naming the field that cannot be.
    init(_ seated: Seated) throws(JoinError) {
        guard (1...0xFFFF).contains(seated.seat), (1...0xFFFF).contains(seated.player) else {
            throw Admission.nonsense("seat")
        }
        seat = Seat(
            seat: seated.seat, player: seated.player, color: Admission.color(seated.color),
            name: spoken(seated.name, atMost: 63), isRecorded: seated.recorded ?? false)
        guard let sendKey = Admission.key(seated.link.motionKey),
            let receiveKey = Admission.key(seated.link.feedbackKey)
        else { throw Admission.nonsense("key") }
        epoch = LinkEpoch(
            connection: ConnectionID(rawValue: seated.link.connection), sendKey: sendKey, receiveKey: receiveKey)
        guard let suite = seated.link.suite else { throw Admission.nonsense("seal") }
        self.suite = suite
        guard seated.link.port > 0 else { throw Admission.nonsense("port") }
        port = seated.link.port
        guard isSecret(seated.secret) else { throw Admission.nonsense("secret") }
        secret = seated.secret
        continues = seated.continues
        // A day at most, as hosts allow, whatever is claimed here.
        patience = .milliseconds(Admission.milliseconds(seated.idle) + Admission.milliseconds(seated.grace))
    }

    private static func key(_ text: String) -> LinkKey? { Hexadecimal.decode(text).flatMap { LinkKey(bytes: $0) } }

    private static func milliseconds(_ value: Int) -> Int { min(max(0, value), 86_400_000) }

    /// `#rrggbb`, or grey where the host says something else.
    static func color(_ text: String) -> String {
        let isColor = text.utf8.count == 7 && text.hasPrefix("#") && Hexadecimal.decode(String(text.dropFirst())) != nil
        return isColor ? text.lowercased() : "#7f7f7f"
    }

    private static func nonsense(_ field: String) -> JoinError {
        JoinError(.notARoom, "the host gave a seat whose \(field) makes no sense; it may be of another version")
    }
}

extension Seat {
    /// The place that the host's notice on the link names; the name stays.
    package mutating func move(to notice: LinkMessage.SeatNotice) {
        seat = Int(notice.seat)
        player = Int(notice.player)
        color = "#" + Hexadecimal.encode([16, 8, 0].map { UInt8(truncatingIfNeeded: notice.color >> $0) })
    }
}
