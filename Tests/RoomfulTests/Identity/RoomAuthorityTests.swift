import Crypto
import Foundation
import SwiftASN1
import Testing
import WireProtocol
import X509

@testable import Identity
@testable import PrivateFiles
@testable import RoomServer
@testable import Roomful

/// The names of a machine with these addresses.
func machine(_ addresses: String..., dns: [String] = ["studio.local"]) -> ServerNames {
    ServerNames(dnsNames: dns, addresses: addresses.compactMap { PeerAddress(host: $0, port: 0) })
}

@Suite("Room authority")
struct RoomAuthorityTests {
    let temporary = TemporaryFolder()
    private let start = Date(timeIntervalSince1970: 1_795_251_600)
    private let names = machine("192.168.1.5", "2001:db8::5")

    private func open(
        _ names: ServerNames? = nil, day: Double = 0, isClockSure: Bool = false
    ) throws -> RoomAuthority {
        try RoomAuthority(
            folder: temporary.folder, names: names ?? self.names, now: start + day * 86_400, isClockSure: isClockSure)
    }

    @Test("A room keeps its id, its pin and its certificate over a restart, in files of its owner's only")
    func kept() throws {
        let first = try open()
        #expect(first.finding == .created)
        let second = try open(day: 1)
        #expect(second.finding == .loaded)
        #expect(second.roomID == first.roomID && second.pin == first.pin && second.chain == first.chain)
        #expect(temporary.files == ["authority.pem", "server.pem"])
        for file in temporary.files { #expect(try temporary.mode(file) == 0o600) }
    }

    @Test("The pin is the SHA-256 of the authority's SubjectPublicKeyInfo, as openssl computes it", .needs("openssl"))
    func pin() throws {
        let authority = try open()
        let file = temporary.path + "/authority.pem"
        let command = "openssl x509 -in '\(file)' -noout -pubkey | openssl pkey -pubin -outform DER | sha256sum"
        let output = try #require(try shell(command))
        #expect(output.prefix(64) == authority.pin.description)
    }

    @Test("openssl accepts the chain for a server, by name and by address", .needs("openssl"))
    func openssl() throws {
        _ = try open(names, day: -(start.timeIntervalSinceNow / 86_400))
        let (authority, server) = (temporary.path + "/authority.pem", temporary.path + "/server.pem")
        for check in ["-verify_hostname studio.local", "-verify_ip 192.168.1.5", "-verify_ip 2001:db8::5"] {
            let options = "-x509_strict -purpose sslserver \(check)"
            let command = "openssl verify \(options) -CAfile '\(authority)' '\(server)' 2>&1"
            let output = try #require(try shell(command))
            #expect(output.contains("OK"), "\(check): \(output)")
        }
        let wrong = "openssl verify -verify_ip 10.0.0.1 -CAfile '\(authority)' '\(server)' 2>&1"
        #expect(try shell(wrong)?.contains("OK") == false)
    }

    @Test("The certificates say what browsers and iOS ask for")
    func contents() throws {
        let authority = try open()
        let certificates = try authority.chain.map { try Certificate(derEncoded: $0) }
        let (server, root) = (certificates[0], certificates[1])
        let days = server.notValidAfter.timeIntervalSince(server.notValidBefore) / 86_400
        #expect(days <= 397)
        #expect(root.notValidAfter.timeIntervalSince(start) > 9.9 * 365 * 86_400)
        #expect(try server.extensions.extendedKeyUsage?.contains(.serverAuth) == true)
        #expect(try server.extensions.basicConstraints == .notCertificateAuthority)
        #expect(try root.extensions.basicConstraints == .isCertificateAuthority(maxPathLength: 0))
        #expect(try root.extensions.keyUsage?.keyCertSign == true)
        let identifier = try root.extensions.subjectKeyIdentifier?.keyIdentifier
        #expect(identifier != nil)
        #expect(try server.extensions.authorityKeyIdentifier?.keyIdentifier == identifier)
        #expect(server.serverNames == names)
        #expect(RoomID(of: root) == authority.roomID)
    }

    @Test("The server's certificate is issued anew for a new address of the link's, not for another, nor when one goes")
    func newAddress() throws {
        let first = try open()
        #expect(try open(machine("192.168.1.5")).finding == .loaded)
        // Another prefix, a bridge of containers, another host name.
        #expect(try open(machine("192.168.1.5", "2001:db8:b::5", "192.168.9.1")).finding == .loaded)
        #expect(try open(machine("192.168.1.5", dns: ["kitchen.local"])).finding == .loaded)
        #expect(try open(machine(dns: [])).finding == .loaded)
        let moved = try open(machine("192.168.1.5", "10.0.0.7"))
        guard case .serverReissued(let reason) = moved.finding else {
            Issue.record("\(moved.finding)")
            return
        }
        #expect(reason.contains("address"))
        #expect(moved.pin == first.pin && moved.chain[1] == first.chain[1] && moved.chain[0] != first.chain[0])
        #expect(moved.server.serverNames == machine("192.168.1.5", "10.0.0.7", "2001:db8::5"))
    }

    @Test("A machine that opens the room in two networks in turn costs a certificate once in each")
    func twoNetworks() throws {
        let (school, home) = (machine("10.1.1.5"), machine("192.168.7.5", dns: ["studio.local", "studio.home"]))
        let first = try open(school)
        let second = try open(home, day: 0.5)
        #expect(second.finding == .serverReissued("the machine has a new address"))
        #expect(second.server.publicKey == first.server.publicKey)
        for day in 1...4 {
            let again = try open(day % 2 == 0 ? home : school, day: Double(day))
            #expect(again.finding == .loaded && again.chain == second.chain)
        }
    }

    @Test("A certificate's names have an end: where there would be very many of a kind, those of now are left")
    func manyNames() {
        var names = machine("127.0.0.1", "192.0.2.1")
        for number in 0..<40 { names = names.adding(machine("10.0.0.\(number)", dns: ["host-\(number)"])) }
        #expect(names.dnsNames.count <= 32 && names.addresses.count <= 32)
        #expect(names.dnsNames.contains("host-39") && names.addresses.map(\.host).contains("10.0.0.39"))
        #expect(names.addresses.contains { $0.isLoopback } && !names.dnsNames.contains("studio.local"))
    }

    @Test(
        "The server's certificate is issued anew 30 days before its end, and by a clock that is not sure on its last day",
        arguments: [(30.0, true), (1.0, false)])
    func expiry(days: Double, isClockSure: Bool) throws {
        let first = try open()
        let end = first.serverExpires.timeIntervalSince(start) / 86_400
        #expect(try open(day: end - days - 0.1, isClockSure: isClockSure).chain == first.chain)
        let renewed = try open(day: end - days + 0.1, isClockSure: isClockSure)
        #expect(renewed.chain[0] != first.chain[0] && renewed.pin == first.pin)
    }

    @Test("A clock that was ahead costs a certificate once it is sure to be right, never the pin")
    func clockAhead() throws {
        let ahead = try open(day: 3_000)
        #expect(try open().chain == ahead.chain)
        let right = try open(isClockSure: true)
        #expect(right.finding == .serverReissued("it begins later"))
        #expect(right.pin == ahead.pin && right.roomID == ahead.roomID && right.chain[1] != ahead.chain[1])
        #expect(try open(isClockSure: true).finding == .loaded)
    }

    @Test("A clock that is behind at boot replaces nothing", arguments: [-640, -20_000] as [Double])
    func clockBehind(day: Double) throws {
        let first = try open()
        #expect(try open(day: day).chain == first.chain)
        #expect(try open(day: 1).chain == first.chain)
    }

    @Test(
        "A key that others may read is refused with the command that closes it",
        arguments: ["authority.pem", "server.pem"])
    func openKey(file: String) throws {
        _ = try open()
        chmod(temporary.path + "/" + file, 0o644)
        let error = failure(StorageError.self) { try open() }
        #expect(error?.code == .openToOthers)
        #expect(error?.description.contains("chmod 600 \(temporary.path)/\(file)") == true)
    }

    @Test(
        "An authority that cannot be understood is never replaced",
        arguments: [
            "", "garbage", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
        ])
    func brokenAuthority(content: String) throws {
        try temporary.plant("authority.pem", content)
        let error = failure(IdentityError.self) { try open() }
        #expect(error?.code == .brokenAuthority)
        #expect(error?.description.contains("authority.pem") == true)
        #expect(temporary.content("authority.pem") == content)
    }

    @Test("An authority's certificate that can be read, but in which a digit has changed, is refused")
    func flippedAuthority() throws {
        let first = try open()
        let file = try #require(temporary.content("authority.pem"))
        let key = file.components(separatedBy: "-----BEGIN CERTIFICATE-----")[0]
        let whole = first.chain[1]
        let id = Array(first.roomID.description.utf8)
        // The subject comes after the issuer, which has the same name.
        let found = whole.indices.last { whole[$0...].starts(with: id) }
        let place = try #require(found)
        var damaged = whole
        damaged[place] = whole[place] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
        let text = key + PEMDocument(type: "CERTIFICATE", derBytes: damaged).pemString + "\n"
        try temporary.plant("authority.pem", text)
        let error = failure(IdentityError.self) { try open() }
        #expect(error?.code == .brokenAuthority)
        #expect(error?.description.contains("authority.pem") == true)
        #expect(temporary.content("authority.pem") == text)
    }

    @Test("A key that belongs to another certificate is refused")
    func mixedUp() throws {
        _ = try open()
        let stranger = TemporaryFolder()
        _ = try RoomAuthority(folder: stranger.folder, names: names, now: start)
        let begin = "-----BEGIN CERTIFICATE-----"
        let theirs = try #require(stranger.content("authority.pem")).components(separatedBy: begin)
        let mine = try #require(temporary.content("authority.pem")).components(separatedBy: begin)
        try temporary.plant("authority.pem", theirs[0] + begin + mine[1])
        #expect(failure(IdentityError.self) { try open() }?.code == .brokenAuthority)
    }

    @Test("A server's certificate that is garbage or another room's is issued anew under the same pin")
    func brokenServer() throws {
        let first = try open()
        try temporary.plant("server.pem", "garbage")
        #expect(try open().pin == first.pin)
        let stranger = TemporaryFolder()
        _ = try RoomAuthority(folder: stranger.folder, names: names, now: start)
        try temporary.plant("server.pem", try #require(stranger.content("server.pem")))
        let again = try open()
        #expect(again.finding == .serverReissued("another authority had signed it"))
        #expect(again.pin == first.pin)
    }

    @Test("Each room has its own id and pin")
    func different() throws {
        let other = TemporaryFolder()
        let (a, b) = (try open(), try RoomAuthority(folder: other.folder, names: names, now: start))
        #expect(a.pin != b.pin && a.roomID != b.roomID)
    }

    @Test("A machine knows itself at least as localhost, and names that no certificate can bear are left out")
    func ownNames() throws {
        let current = ServerNames.current()
        let hosts = current.addresses.map(\.host)
        #expect(current.dnsNames.contains("localhost"))
        #expect(hosts.contains("127.0.0.1"))
        #expect(!hosts.contains { $0.hasPrefix("fe80:") })
        #expect(machine(dns: ["ok.local", "OK.local", "", "büro", "a b", "-x", "a..b"]).dnsNames == ["ok.local"])
        _ = try open(current)
    }
}

/// What a shell command prints; `nil` if this machine has no openssl.
func shell(_ command: String) throws -> String? {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl") else { return nil }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self)
}
