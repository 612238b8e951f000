internal import Foundation
package import WireProtocol

/// The cipher of one link: whichever this machine has, as one concrete type for the receiving loop.
package enum LinkCipher: DatagramCipher {
    case sodium(SodiumCipher)
    case crypto(CryptoCipher)

    /// The fastest that seals by `suite` here: libsodium where it can, else swift-crypto.
    ///
    /// `ROOMFUL_NO_SODIUM=1` in the environment, when the program starts, leaves libsodium out.
    package static func preferred(for suite: CipherSuite) -> LinkCipher {
        if !isSodiumForbidden, let cipher = SodiumCipher(suite) { return .sodium(cipher) }
        return .crypto(CryptoCipher(suite))
    }

    /// The suite that a host on this machine should name in its seat answers.
    package static var preferredSuite: CipherSuite {
        switch (preferred(for: .aes256gcm), preferred(for: .chacha20poly1305)) {
        case (.sodium, _): .aes256gcm
        case (.crypto, .sodium): .chacha20poly1305
        case (.crypto, .crypto): .aes256gcm
        }
    }

    /// Whether this is the fast library, for `doctor` to tell.
    package var isSodium: Bool {
        if case .sodium = self { true } else { false }
    }

    @inline(__always)
    package func seal(_ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32) {
        switch self {
        case .sodium(let cipher): cipher.seal(datagram, headerLength: headerLength, key: key, number: number)
        case .crypto(let cipher): cipher.seal(datagram, headerLength: headerLength, key: key, number: number)
        }
    }

    @inline(__always)
    package func open(
        _ datagram: UnsafeMutableRawBufferPointer, headerLength: Int, key: LinkKey, number: UInt32
    ) -> Bool {
        switch self {
        case .sodium(let cipher): cipher.open(datagram, headerLength: headerLength, key: key, number: number)
        case .crypto(let cipher): cipher.open(datagram, headerLength: headerLength, key: key, number: number)
        }
    }
}

private let isSodiumForbidden = ProcessInfo.processInfo.environment["ROOMFUL_NO_SODIUM"] == "1"
