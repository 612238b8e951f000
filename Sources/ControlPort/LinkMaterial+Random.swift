import Crypto
import Foundation
import Identity
package import SessionCoordinator
package import WireProtocol

extension LinkMaterial {
    /// The hash of 32 bytes as hexadecimal digits; `nil` for anything else.
    private static func hash(of text: String?) -> [UInt8]? {
        guard let bytes = text.flatMap({ Hexadecimal.decode($0) }), bytes.count == 32 else { return nil }
        return Array(SHA256.hash(data: bytes))
    }

    /// Fresh keys and a fresh resumption secret for an invitation, from the system's randomness.
    package static func random(for invitation: Invitation) -> LinkMaterial {
        var generator = SystemRandomNumberGenerator()
        func key() -> LinkKey {
            LinkKey(a: generator.next(), b: generator.next(), c: generator.next(), d: generator.next())
        }
        let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return LinkMaterial(
            motionKey: key(), feedbackKey: key(), probeKey: key(), secret: Hexadecimal.encode(secret),
            secretHash: Array(SHA256.hash(data: secret)),
            presentedHash: hash(of: invitation.secret), ticketHash: hash(of: invitation.ticket))
    }
}
