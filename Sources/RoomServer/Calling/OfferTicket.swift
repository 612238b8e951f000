import Crypto
import WireProtocol

/// What admits one controller to one seat, once: who keeps the seat knows the hash alone.
struct OfferTicket: Sendable {
    /// 64 hexadecimal digits.
    let text: String
    /// SHA-256 of the bytes that ``text`` stands for.
    let hash: [UInt8]

    init() {
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        text = Hexadecimal.encode(bytes)
        hash = Array(SHA256.hash(data: bytes))
    }
}
