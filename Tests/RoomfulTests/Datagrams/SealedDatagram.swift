import WireProtocol

@testable import Datagrams
@testable import Identity
@testable import Roomful

/// A datagram in memory of its own, for tests to seal, damage and open.
struct SealedDatagram: Equatable {
    var bytes: [UInt8]
    var headerLength: Int

    /// Header and payload, not yet sealed, with room for the tag.
    init(header: [UInt8], payload: [UInt8]) {
        bytes = header + payload + [UInt8](repeating: 0, count: sealTagLength)
        headerLength = header.count
    }

    var payload: [UInt8] { Array(bytes[headerLength...].dropLast(sealTagLength)) }

    func sealed(_ cipher: some DatagramCipher, key: LinkKey, number: UInt32) -> SealedDatagram {
        var copy = self
        copy.bytes.withUnsafeMutableBytes { bytes in
            cipher.seal(bytes, headerLength: headerLength, key: key, number: number)
        }
        return copy
    }

    /// The payload; `nil` when the tag does not fit.
    func opened(_ cipher: some DatagramCipher, key: LinkKey, number: UInt32) -> [UInt8]? {
        var copy = self
        let isOpen = copy.bytes.withUnsafeMutableBytes { bytes in
            cipher.open(bytes, headerLength: headerLength, key: key, number: number)
        }
        return isOpen ? copy.payload : nil
    }
}

extension LinkKey {
    /// A key whose bytes all differ, as they would lie in a document: 0, 1, 2 … 31.
    static let counting = LinkKey(
        a: 0x0706_0504_0302_0100, b: 0x0F0E_0D0C_0B0A_0908, c: 0x1716_1514_1312_1110, d: 0x1F1E_1D1C_1B1A_1918)
}

/// Every cipher that this machine has for a suite: the fallback always, libsodium where it is installed.
func ciphers(for suite: CipherSuite) -> [LinkCipher] {
    let fast = SodiumCipher(suite).map { [LinkCipher.sodium($0)] } ?? []
    return fast + [.crypto(CryptoCipher(suite))]
}
