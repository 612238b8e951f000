import Foundation
import Testing
import WireProtocol

@testable import Datagrams
@testable import Identity
@testable import Roomful

@Suite("Sealing")
struct CipherTests {
    private let header: [UInt8] = [0x11, 0, 1, 0, 2, 0, 0, 0, 9]
    private let payload = [UInt8]("ten samples of a banana run".utf8)

    private func sealed(by cipher: LinkCipher, number: UInt32 = 9) -> SealedDatagram {
        SealedDatagram(header: header, payload: payload).sealed(cipher, key: .counting, number: number)
    }

    @Test("What one library seals, every other opens", arguments: CipherSuite.allCases)
    func librariesAgree(suite: CipherSuite) {
        for sealing in ciphers(for: suite) {
            let datagram = sealed(by: sealing)
            #expect(datagram.payload != payload)
            #expect(datagram.bytes.starts(with: header))
            for opening in ciphers(for: suite) {
                #expect(datagram.opened(opening, key: .counting, number: 9) == payload)
            }
        }
    }

    @Test("A sealed datagram with any one bit flipped does not open", arguments: CipherSuite.allCases)
    func flippedBit(suite: CipherSuite) {
        for cipher in ciphers(for: suite) {
            let datagram = sealed(by: cipher)
            for bit in 0..<datagram.bytes.count * 8 {
                var damaged = datagram
                damaged.bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(damaged.opened(cipher, key: .counting, number: 9) == nil, "bit \(bit)")
            }
        }
    }

    @Test("The number is part of the seal, all four bytes of it", arguments: CipherSuite.allCases)
    func numberIsInTheNonce(suite: CipherSuite) {
        for cipher in ciphers(for: suite) {
            let datagram = sealed(by: cipher)
            for bit in 0..<32 {
                #expect(datagram.opened(cipher, key: .counting, number: 9 ^ 1 << UInt32(bit)) == nil)
            }
            #expect(sealed(by: cipher, number: 10).payload != datagram.payload)
        }
    }

    @Test("Another key does not open, nor does another suite", arguments: CipherSuite.allCases)
    func wrongKey(suite: CipherSuite) {
        for cipher in ciphers(for: suite) {
            let datagram = sealed(by: cipher)
            for byte in 0..<LinkKey.size {
                var bytes = Array(UInt8(0)..<32)
                bytes[byte] ^= 0x80
                #expect(LinkKey(bytes: bytes).map { datagram.opened(cipher, key: $0, number: 9) } == .some(nil))
            }
            for opening in CipherSuite.allCases.filter({ $0 != suite }).flatMap(ciphers(for:)) {
                #expect(datagram.opened(opening, key: .counting, number: 9) == nil)
            }
        }
    }

    @Test("A datagram cut anywhere does not open, and nothing traps", arguments: CipherSuite.allCases)
    func truncated(suite: CipherSuite) {
        for cipher in ciphers(for: suite) {
            let datagram = sealed(by: cipher)
            for length in 0..<datagram.bytes.count {
                var cut = datagram.bytes.prefix(length).map { $0 }
                let isOpen = cut.withUnsafeMutableBytes { bytes in
                    cipher.open(bytes, headerLength: header.count, key: .counting, number: 9)
                }
                #expect(!isOpen, "\(length) bytes")
            }
            let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
            #expect(!cipher.open(nothing, headerLength: 0, key: .counting, number: 9))
        }
    }

    @Test("Header and tag alone make a datagram, and so does a payload of one byte", arguments: CipherSuite.allCases)
    func smallest(suite: CipherSuite) {
        for cipher in ciphers(for: suite) {
            for payload: [UInt8] in [[], [7]] {
                let datagram = SealedDatagram(header: header, payload: payload)
                let sealed = datagram.sealed(cipher, key: .counting, number: 0)
                #expect(sealed.opened(cipher, key: .counting, number: 0) == payload)
            }
        }
    }

    @Test("The preferred cipher seals by the suite that was asked for", arguments: CipherSuite.allCases)
    func preferred(suite: CipherSuite) {
        let preferred = LinkCipher.preferred(for: suite)
        #expect(sealed(by: preferred).opened(CryptoCipher(suite), key: .counting, number: 9) == payload)
        let isForbidden = ProcessInfo.processInfo.environment["ROOMFUL_NO_SODIUM"] == "1"
        #expect(preferred.isSodium == (!isForbidden && SodiumCipher(suite) != nil))
    }
}
