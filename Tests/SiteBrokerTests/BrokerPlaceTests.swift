import Foundation
import SiteRecords
import Testing

@testable import SiteBroker

@Suite("What opens a broker")
struct BrokerPlaceTests {
    private func place(_ text: String, mode: mode_t = 0o600, owner: uid_t? = nil) throws -> BrokerPlace {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).credentials").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(chmod(path, mode) == 0)
        if let owner { #expect(chown(path, owner, owner) == 0) }
        return try BrokerPlace(try #require(BrokerAddress("nats://h")), credentials: path, authorities: nil)
    }

    @Test("A file of credentials holds user and password, or a token")
    func read() throws {
        let user = try place("host:pass:word\n")
        #expect(user.user == "host" && user.password == "pass:word" && user.token == nil)
        #expect(try place(" t0ken\n").token == "t0ken")
        for text in ["", "a:b\nc:d", String(repeating: "x", count: 70_000)] {
            let error = #expect(throws: BrokerError.self) { _ = try place(text) }
            #expect(error?.code == .credentials)
        }
    }

    @Test(
        "Whose certificate is not believed is told what helps: another authority does not, where its time is over",
        arguments: [
            ("certificate has expired", "renew the broker's certificate, or set this machine's clock right"),
            ("certificate is not yet valid", "is this machine's clock right?"),
            ("self-signed certificate in certificate chain", "give its authority with --site-ca FILE"),
        ])
    func certificate(words: String, advice: String) throws {
        let place = try BrokerPlace(try #require(BrokerAddress("tls://h")), credentials: nil, authorities: nil)
        let told = "SSL handshake error: 10:\(words):depth=0:cert=/CN=broker:issuer=/CN=TestCA"
        // NATS_SSL_ERROR.
        let error = BrokerError(connecting: 29, words: told, to: place)
        #expect(error.code == .encryption)
        #expect(error.message.hasSuffix("); \(advice)"))
    }

    @Test(
        "Credentials that other users may read or write are refused, and said how to mend it",
        arguments: [0o640, 0o604, 0o644, 0o620, 0o666] as [mode_t])
    func openToOthers(_ mode: mode_t) throws {
        let error = #expect(throws: BrokerError.self) { _ = try place("host:s3cret", mode: mode) }
        #expect(error?.code == .credentials)
        #expect(
            error?.description.contains("run: chmod 600 /") == true && error?.description.contains("s3cret") == false)
    }

    @Test("Root reads a service's own file", .enabled(if: geteuid() == 0))
    func service() throws {
        #expect(try place("host:word", owner: 65_534).user == "host")
    }
}
