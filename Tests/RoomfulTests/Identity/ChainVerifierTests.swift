import Crypto
import Foundation
import SwiftASN1
import Testing
import WireProtocol
import X509

@testable import Identity
@testable import Roomful

@Suite("Chain verifier")
struct ChainVerifierTests {
    private let now = Date(timeIntervalSince1970: 1_795_251_600)
    private let names = machine("192.168.1.5")
    private let verifier = ChainVerifier()

    /// An authority in memory.
    private func authority(_ room: RoomID = .random()) throws -> PEMPair {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        return PEMPair(certificate: try .authority(of: room, key: key, now: now), key: key)
    }

    private func server(signedBy authority: PEMPair) throws -> Certificate {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        return try .server(key.publicKey, names: names, signedBy: authority, now: now)
    }

    private func der(_ certificates: Certificate...) throws -> [[UInt8]] {
        try certificates.map { try $0.serializeAsPEM().derBytes }
    }

    private func code(_ chain: [[UInt8]]) async -> IdentityError.Code? {
        do throws(IdentityError) {
            _ = try await verifier.verify(chain)
            return nil
        } catch { return error.code }
    }

    @Test("A room's chain gives its authority's pin and its id, years before and after it is valid")
    func good() async throws {
        let temporary = TemporaryFolder()
        for year in [1971.0, 2026, 2049] {
            let date = Date(timeIntervalSince1970: (year - 1970) * 365.25 * 86_400)
            let room = try RoomAuthority(folder: temporary.folder, names: names, now: date)
            let finding = try await verifier.verify(room.chain)
            #expect(finding == ChainVerifier.Finding(pin: room.pin, roomID: room.roomID))
        }
    }

    @Test("An impostor who shows the true authority beside its own certificate is found out")
    func borrowedAuthority() async throws {
        let room = RoomID.random()
        let (truth, impostor) = (try authority(room), try authority(room))
        let leaf = try server(signedBy: impostor)
        #expect(await code(try der(leaf, truth.certificate)) == .notSigned)
        // With both shown, the one that signed counts, in whatever order.
        for (second, third) in [(truth, impostor), (impostor, truth)] {
            let chain = try der(leaf, second.certificate, third.certificate)
            #expect(try await verifier.verify(chain).pin == impostor.certificate.pin)
        }
    }

    @Test("A certificate that signs itself, or an authority used as a server's, is refused")
    func selfSigned() async throws {
        let truth = try authority()
        #expect(await code(try der(truth.certificate)) == .notForServers)
        #expect(await code(try der(truth.certificate, truth.certificate)) == .notForServers)
        #expect(await code(try der(try server(signedBy: truth))) == .noAuthority)
    }

    @Test("A server's certificate is no authority, though it signs another")
    func leafAsAuthority() async throws {
        let truth = try authority()
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let leaf = try Certificate.server(key.publicKey, names: names, signedBy: truth, now: now)
        let forged = try server(signedBy: PEMPair(certificate: leaf, key: key))
        #expect(await code(try der(forged, leaf)) == .noAuthority)
        #expect(await code(try der(forged, leaf, truth.certificate)) == .notSigned)
    }

    @Test("Nothing, too much and garbage are refused")
    func garbage() async throws {
        let truth = try authority()
        let leaf = try server(signedBy: truth)
        let good = try der(leaf, truth.certificate)
        #expect(await code([]) == .malformedChain)
        #expect(await code(Array(repeating: good[0], count: 9)) == .malformedChain)
        #expect(await code([good[0], []]) == .malformedChain)
        #expect(await code([Array(good[0].dropLast()), good[1]]) == .malformedChain)
    }

    @Test("A flipped bit is refused, or stands where it changes nothing that is signed")
    func flippedBits() async throws {
        let truth = try authority()
        let good = try der(try server(signedBy: truth), truth.certificate)
        let signed = try Certificate(derEncoded: good[0]).tbsCertificateBytes
        let seed = UInt64.random(in: .min ... .max)
        print("flipped bits: seed \(seed)")
        var generator = SplitMix64(seed: seed)
        for _ in 0..<300 {
            var leaf = good[0]
            let index = Int.random(in: 0..<leaf.count, using: &generator)
            leaf[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            guard await code([leaf, good[1]]) == nil else { continue }
            // The signature's own encoding has a little play (DER's count of unused bits); what is signed has none.
            #expect(try Certificate(derEncoded: leaf).tbsCertificateBytes == signed, "byte \(index)")
        }
    }
}
