internal import Crypto
internal import Foundation
package import WireProtocol

/// Seals by swift-crypto, for machines without libsodium: the same bytes, three to ten times slower, with several
/// allocations a datagram.
package struct CryptoCipher: DatagramCipher {
    private let suite: CipherSuite

    package init(_ suite: CipherSuite) { self.suite = suite }

    package func seal(_ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32) {
        let parts = Parts(datagram, headerLength: headerLength)
        guard let parts, let (sealed, tag) = try? sealed(parts, key: key, number: number) else {
            preconditionFailure("a datagram to seal has room for its header and its tag")
        }
        parts.payload.copyBytes(from: sealed)
        parts.tag.copyBytes(from: tag)
    }

    package func open(
        _ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32
    ) -> Bool {
        let parts = Parts(datagram, headerLength: headerLength)
        guard let parts, let payload = try? opened(parts, key: key, number: number) else { return false }
        parts.payload.copyBytes(from: payload)
        return true
    }

    private func sealed(_ parts: Parts, key: LinkKey, number: UInt32) throws -> (payload: Data, tag: Data) {
        let key = key.withUnsafeBytes { SymmetricKey(data: $0) }
        let payload = UnsafeRawBufferPointer(parts.payload)
        let header = UnsafeRawBufferPointer(parts.header)
        switch suite {
        case .aes256gcm:
            let nonce = try AES.GCM.Nonce(data: nonce(number))
            let box = try AES.GCM.seal(payload, using: key, nonce: nonce, authenticating: header)
            return (box.ciphertext, box.tag)
        case .chacha20poly1305:
            let nonce = try ChaChaPoly.Nonce(data: nonce(number))
            let box = try ChaChaPoly.seal(payload, using: key, nonce: nonce, authenticating: header)
            return (box.ciphertext, box.tag)
        }
    }

    private func opened(_ parts: Parts, key: LinkKey, number: UInt32) throws -> Data {
        let key = key.withUnsafeBytes { SymmetricKey(data: $0) }
        let payload = UnsafeRawBufferPointer(parts.payload)
        let header = UnsafeRawBufferPointer(parts.header)
        let tag = UnsafeRawBufferPointer(parts.tag)
        switch suite {
        case .aes256gcm:
            let nonce = try AES.GCM.Nonce(data: nonce(number))
            let box = try AES.GCM.SealedBox(nonce: nonce, ciphertext: payload, tag: tag)
            return try AES.GCM.open(box, using: key, authenticating: header)
        case .chacha20poly1305:
            let nonce = try ChaChaPoly.Nonce(data: nonce(number))
            let box = try ChaChaPoly.SealedBox(nonce: nonce, ciphertext: payload, tag: tag)
            return try ChaChaPoly.open(box, using: key, authenticating: header)
        }
    }

    /// 64 zero bits and the number, big-endian.
    private func nonce(_ number: UInt32) -> Data {
        var nonce = Data(count: 8)
        withUnsafeBytes(of: number.bigEndian) { nonce.append(contentsOf: $0) }
        return nonce
    }

    /// A datagram cut into its three parts.
    private struct Parts {
        let header, payload, tag: UnsafeMutableRawBufferPointer

        init?(_ datagram: UnsafeMutableRawBufferPointer, headerLength: Int) {
            let tagStart = datagram.count - sealTagLength
            guard tagStart >= headerLength else { return nil }
            header = UnsafeMutableRawBufferPointer(rebasing: datagram[..<headerLength])
            payload = UnsafeMutableRawBufferPointer(rebasing: datagram[headerLength..<tagStart])
            tag = UnsafeMutableRawBufferPointer(rebasing: datagram[tagStart...])
        }
    }
}
