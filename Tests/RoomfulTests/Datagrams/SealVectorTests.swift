import Foundation
import Testing
import WireProtocol

@testable import Identity
@testable import Roomful

/// `Documentation/vectors/seal.json` was made with Python's `cryptography`, so it owes nothing to this code.
@Suite("Golden vectors of the seal")
struct SealVectorTests {
    struct Vector: Decodable, CustomTestStringConvertible {
        var name, key, header, payload, datagram: String
        var suite: CipherSuite
        var number: UInt32

        var testDescription: String { "\(suite.rawValue): \(name)" }
    }

    private struct File: Decodable { var vectors: [Vector] }

    private static func vectors() throws -> [Vector] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let file = root.appending(path: "Documentation/vectors/seal.json").standardizedFileURL
        return try JSONDecoder().decode(File.self, from: Data(contentsOf: file)).vectors
    }

    @Test("Each vector is sealed to the byte and opened again, by every library", arguments: try vectors())
    func vector(_ vector: Vector) throws {
        let key = try #require(LinkKey(bytes: try bytes(vector.key)))
        let sealed = try bytes(vector.datagram)
        for cipher in ciphers(for: vector.suite) {
            let datagram = SealedDatagram(header: try bytes(vector.header), payload: try bytes(vector.payload))
            let ours = datagram.sealed(cipher, key: key, number: vector.number)
            #expect(ours.bytes == sealed)
            #expect(ours.opened(cipher, key: key, number: vector.number) == datagram.payload)
        }
    }

    @Test("There are vectors for both suites")
    func complete() throws {
        #expect(Set(try Self.vectors().map(\.suite)) == Set(CipherSuite.allCases))
    }

    private func bytes(_ hex: String) throws -> [UInt8] {
        let digits = Array(hex)
        return try stride(from: 0, to: digits.count, by: 2).map { index in
            try #require(UInt8(String(digits[index..<min(index + 2, digits.count)]), radix: 16))
        }
    }
}
