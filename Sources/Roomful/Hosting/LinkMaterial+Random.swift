import Crypto
import Foundation
import SessionCoordinator
import WireProtocol

extension LinkMaterial {
    /// Fresh keys and a fresh resumption secret for an invitation, from the system's randomness.
    static func random(for invitation: Invitation) -> LinkMaterial {
        var generator = SystemRandomNumberGenerator()
        func key() -> LinkKey {
            LinkKey(a: generator.next(), b: generator.next(), c: generator.next(), d: generator.next())
        }
        let secret = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let presented = invitation.secret.flatMap { Hexadecimal.decode($0) }
        return LinkMaterial(
            motionKey: key(), feedbackKey: key(), probeKey: key(), secret: Hexadecimal.encode(secret),
            secretHash: Array(SHA256.hash(data: secret)),
            presentedHash: presented.flatMap { $0.count == 32 ? Array(SHA256.hash(data: $0)) : nil })
    }
}
