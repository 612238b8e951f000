import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Testing
import WireProtocol
import X509

@testable import Datagrams
@testable import Identity
@testable import Roomful

@Suite("What a room's port shows, over real TLS on loopback")
struct TLSSourceTests {
    let operators = OperatorFiles()
    let room = TemporaryFolder()

    private func authority() throws -> RoomAuthority {
        try RoomAuthority(folder: room.folder, names: machine("127.0.0.1"))
    }

    /// Serves echoes with what the source shows at each new connection.
    private func serve<Result>(_ source: TLSSource, _ body: (Int) async throws -> Result) async throws -> Result {
        let host = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: source.context), Echo())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result = try await body(try #require(host.localAddress?.port))
        try await host.close()
        return result
    }

    /// A native controller's connection; its byte came back if `answered` says so.
    private func dial(_ port: Int, _ handshake: PinnedHandshake) async throws -> (any Channel, answered: Bool) {
        let group = MultiThreadedEventLoopGroup.singleton
        let context = try NIOSSLContext(configuration: PinnedHandshake.configuration())
        let answered = group.any().makePromise(of: Bool.self)
        let client = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let tls = try NIOSSLClientHandler(
                        context: context, serverHostname: nil, customVerificationCallback: handshake.verification)
                    try channel.pipeline.syncOperations.addHandlers(tls, Asker(answered: answered))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return (client, try await answered.futureResult.get())
    }

    @Test(
        "With an operator's certificate a native controller finds the pin that the room had before",
        arguments: ["-algorithm EC -pkeyopt ec_paramgen_curve:P-256", "-algorithm RSA -pkeyopt rsa_keygen_bits:2048"])
    func samePin(key: String) async throws {
        try operators.issue(key: key)
        let authority = try authority()
        let source = try TLSSource(authority: authority, files: operators.files)
        let handshake = PinnedHandshake(expecting: authority.pin)
        let (client, answered) = try await serve(source) { try await dial($0, handshake) }
        #expect(answered)
        #expect(handshake.outcome == .success(ChainVerifier.Finding(pin: authority.pin, roomID: authority.roomID)))
        try? await client.close()
    }

    @Test("A certificate that signed itself, as openssl req -x509 makes it, does for native controllers too")
    func selfSigned() async throws {
        let files = operators.files
        _ = try shell(
            "openssl req -x509 -newkey rsa:2048 -nodes -keyout '\(files.key)' -out '\(files.certificate)' -days 30 -subj /CN=x"
        )
        let authority = try authority()
        let handshake = PinnedHandshake(expecting: authority.pin)
        let source = try TLSSource(authority: authority, files: files)
        #expect(try await serve(source) { try await dial($0, handshake) }.answered)
    }

    @Test(
        "openssl, as a browser would, accepts the operator's chain by name in TLS 1.2 and 1.3, whatever stands behind it"
    )
    func browser() async throws {
        try operators.issue(key: "-algorithm RSA -pkeyopt rsa_keygen_bits:2048")
        let source = try TLSSource(authority: authority(), files: operators.files)
        try await serve(source) { port in
            for version in ["-tls1_2", "-tls1_3"] {
                let output = try shell(
                    "openssl s_client -connect 127.0.0.1:\(port) \(version) -CAfile '\(operators.path("root.pem"))' "
                        + "-verify_hostname play.example.org -verify_return_error -alpn http/1.1 </dev/null 2>&1")
                #expect(output?.contains("Verify return code: 0 (ok)") == true, "\(output ?? "")")
            }
            let wrong = try shell(
                "openssl s_client -connect 127.0.0.1:\(port) -CAfile '\(operators.path("root.pem"))' "
                    + "-verify_hostname other.example.org -verify_return_error </dev/null 2>&1")
            #expect(wrong?.contains("Verify return code: 0 (ok)") == false)
        }
    }

    @Test("Somebody who has the room's voucher, but not the operator's key, is not the room")
    func stolenVoucher() async throws {
        try operators.issue()
        let authority = try authority()
        let own = try OwnCertificate(operators.files)
        let shown = try authority.serverConfiguration(showing: own, now: Date()).certificateChain.map { source in
            guard case .certificate(let certificate) = source else { return [UInt8]() }
            return try certificate.toDERBytes()
        }
        #expect(try await ChainVerifier().verify(shown).pin == authority.pin)
        try operators.issue()
        let impostor = try OwnCertificate(operators.files)
        let finding = try await ChainVerifier().verify(impostor.chain + shown.dropFirst(2))
        #expect(finding.pin != authority.pin && finding.roomID == nil)
    }

    @Test("A renewed certificate is shown to whoever comes then, and who is there stays")
    func renewal() async throws {
        try operators.issue()
        let authority = try authority()
        let source = try TLSSource(authority: authority, files: operators.files)
        #expect(source.reloadIfChanged() == nil)
        try await serve(source) { port in
            let (early, answered) = try await dial(port, PinnedHandshake(expecting: authority.pin))
            #expect(answered)

            try operators.issue("new.example.org")
            guard case .reloaded = source.reloadIfChanged() else {
                Issue.record("the new files were not taken")
                return
            }
            #expect(source.bears("new.example.org") && !source.bears("play.example.org"))
            #expect(source.reloadIfChanged() == nil)

            let seen = try shell("openssl s_client -connect 127.0.0.1:\(port) </dev/null 2>&1")
            #expect(seen?.contains("subject=CN = new.example.org") == true)
            let late = PinnedHandshake(expecting: authority.pin)
            #expect(try await dial(port, late).answered)
            #expect(early.isActive)
            try await early.writeAndFlush(ByteBuffer(bytes: [43]))
            try await early.close()
        }
    }

    @Test("Files that do not fit while they are being renewed leave the old certificate, until they fit")
    func halfRenewed() throws {
        try operators.issue()
        let source = try TLSSource(authority: authority(), files: operators.files)
        let old = try #require(operators.folder.content("key.pem"))
        try operators.issue("new.example.org")
        let new = try #require(operators.folder.content("key.pem"))
        try operators.folder.plant("key.pem", old)
        guard case .kept(let reason) = source.reloadIfChanged() else {
            Issue.record("a key that does not fit was taken")
            return
        }
        #expect(reason.contains("is not that of the certificate"))
        #expect(source.reloadIfChanged() == nil)
        #expect(source.bears("play.example.org"))

        try operators.folder.plant("key.pem", new)
        guard case .reloaded = source.reloadIfChanged() else {
            Issue.record("the fitting files were not taken")
            return
        }
        #expect(source.bears("new.example.org"))
        _ = try shell("rm '\(operators.path("cert.pem"))'")
        guard case .kept = source.reloadIfChanged() else {
            Issue.record("a missing file was taken")
            return
        }
        #expect(source.bears("new.example.org"))
    }

    @Test("Of an operator's certificate it is told once each 14 and 3 days before its end, and at the end")
    func ends() throws {
        try operators.issue()
        let day = 86_400.0
        let source = try TLSSource(authority: authority(), files: operators.files)
        let end = source.ends
        #expect(source.lookAtTime(now: end - 15 * day) == nil)
        for days in [13.9, 2.9] {
            #expect(source.lookAtTime(now: end - days * day) == .late(ends: end))
            #expect(source.lookAtTime(now: end - (days - 0.1) * day) == nil)
        }
        guard case .untimely(let reason) = source.lookAtTime(now: end + 1) else {
            Issue.record("it ended without a word")
            return
        }
        #expect(reason.contains("has expired") && source.lookAtTime(now: end + day) == nil)
        #expect(try TLSSource(authority: authority()).lookAtTime(now: end + 1_000 * day) == nil)
    }

    @Test("A room opens with an operator's certificate that has expired; one that has not is not replaced by it")
    func expired() async throws {
        try operators.issue()
        let authority = try authority()
        let source = try TLSSource(authority: authority, files: operators.files)
        let files = operators.files
        _ = try shell(
            "openssl req -x509 -newkey rsa:2048 -nodes -keyout '\(files.key)' -out '\(files.certificate)' -days 1 -subj /CN=x"
        )
        let later = Date() + 2 * 86_400
        guard case .kept(let reason) = source.reloadIfChanged(now: later) else {
            Issue.record("what has expired was taken")
            return
        }
        #expect(reason.contains("has expired") && source.bears("play.example.org"))

        let opened = try TLSSource(authority: authority, files: files, now: later)
        guard case .untimely = opened.lookAtTime(now: later) else {
            Issue.record("it is shown without a word")
            return
        }
        #expect(try await serve(opened) { try await dial($0, PinnedHandshake(expecting: authority.pin)) }.answered)
        try operators.issue()
        guard case .reloaded = opened.reloadIfChanged(now: later) else {
            Issue.record("the renewed one was not taken")
            return
        }
        #expect(opened.bears("play.example.org") && opened.lookAtTime(now: later) == nil)
    }

    @Test("A certificate that is put in before it begins is taken once it does, though its files change no more")
    func begins() async throws {
        try operators.issue()
        let source = try TLSSource(authority: authority(), files: operators.files)
        let now = Date()
        // Certificates count time in seconds.
        try await Task.sleep(for: .seconds(2))
        try operators.issue()
        guard case .kept(let reason) = source.reloadIfChanged(now: now) else {
            Issue.record("what begins later was taken")
            return
        }
        #expect(reason.contains("is not valid before") && source.reloadIfChanged(now: now) == nil)
        guard case .reloaded = source.reloadIfChanged(now: now + 4) else {
            Issue.record("what has begun was not taken")
            return
        }
        #expect(source.reloadIfChanged(now: now + 4) == nil && source.reloadIfChanged(now: now) == nil)
    }

    @Test("The room's own certificate is made anew while the room is open, 30 days before its end, with the same key")
    func ownRenewed() throws {
        let authority = try authority()
        let day = 86_400.0
        let source = try TLSSource(authority: authority)
        let end = source.ends
        #expect(source.renewIfDue(now: end - 31 * day, isClockSure: true) == nil)
        // A clock that is a year ahead for a moment costs nothing.
        #expect(source.renewIfDue(now: end - 29 * day, isClockSure: false) == nil)
        guard case .renewed(_, let ends) = source.renewIfDue(now: end - 29 * day, isClockSure: true) else {
            Issue.record("it was not renewed")
            return
        }
        #expect(ends > end && source.ends == ends)
        #expect(source.renewIfDue(now: end - 29 * day, isClockSure: true) == nil)
        // What a restart finds is the same.
        let again = try RoomAuthority(folder: room.folder, names: machine("127.0.0.1"), now: end - 29 * day)
        #expect(again.finding == .loaded && again.pin == authority.pin && again.serverExpires == ends)
        #expect(again.server.publicKey == authority.server.publicKey && again.chain[0] != authority.chain[0])
    }

    @Test("A new address makes the certificate anew once, and the one of before stays in it")
    func ownMoved() throws {
        let authority = try authority()
        let source = try TLSSource(authority: authority)
        let home = PeerAddress(ipv4: 0xC000_0232, port: 7_777)
        let away = PeerAddress(high: 0x2001_0DB8 << 32, low: 1, port: 0)
        for step in 0..<20 {
            // They come and go.
            let change = source.renewIfDue(for: step % 2 == 0 ? [home] : [away])
            if step < 2 {
                guard case .renewed("the machine has a new address", _) = change else {
                    Issue.record("\(step): it was not renewed")
                    return
                }
            } else {
                #expect(change == nil)
            }
        }
        #expect(source.renewIfDue(for: []) == nil)
        for name in ["192.0.2.50", "2001:db8::1", "127.0.0.1", "studio.local"] { #expect(source.bears(name)) }
        // Those that no link names, as of bridges, are no reason; they are taken in where there is one.
        let bridge = PeerAddress(ipv4: 0xAC11_0001, port: 0)
        #expect(source.renewIfDue(for: [home, bridge]) == nil && !source.bears("172.17.0.1"))
        #expect(source.renewIfDue(for: [PeerAddress(ipv4: 0xC000_0233, port: 0), bridge]) != nil)
        #expect(source.bears("192.0.2.51") && source.bears("172.17.0.1"))
        let again = try RoomAuthority(folder: room.folder, names: machine("192.0.2.50", "2001:db8::1"))
        #expect(again.finding == .loaded && again.pin == authority.pin)
        #expect(again.server.publicKey == authority.server.publicKey)
        // A machine that has had very many keeps those that it has.
        let many = (UInt32(0)..<40).map { PeerAddress(ipv4: 0x0A00_0000 + $0, port: 0) }
        for address in many { #expect(source.renewIfDue(for: [address]) != nil) }
        #expect(source.bears("10.0.0.39") && source.bears("127.0.0.1") && !source.bears("192.0.2.50"))
    }

    @Test(
        "A certificate that begins later is told of once, and stays until the clock is sure; a disk that refuses, too")
    func ownFromTheFuture() throws {
        let authority = try authority()
        let week = 7 * 86_400.0
        let source = try TLSSource(authority: authority)
        #expect(source.renewIfDue(now: Date() - week, isClockSure: false) == .waits)
        #expect(source.renewIfDue(now: Date() - week, isClockSure: false) == nil)
        #expect(source.renewIfDue(now: Date() - week, isClockSure: true) != nil)
        #expect(source.ends < authority.serverExpires)
        chmod(room.path + "/server.pem", 0o644)
        guard case .notRenewed = source.renewIfDue(now: Date() + 60 * week, isClockSure: true) else {
            Issue.record("a key that others may read was used")
            return
        }
        #expect(source.renewIfDue(now: Date() + 60 * week, isClockSure: true) == nil)
    }

    @Test("Where a time service keeps the clock right, a certificate that begins later is made anew soon, not in a day")
    func clockKeptRight() async throws {
        let early = try RoomAuthority(folder: room.folder, names: machine("127.0.0.1"), now: Date() + 7 * 86_400)
        let source = try TLSSource(authority: early)
        let (changes, told) = AsyncStream.makeStream(of: TLSSource.Change.self)
        let keeping = Task {
            await source.keepCurrent(every: .milliseconds(10), isSynchronised: { true }) { told.yield($0) }
        }
        defer { keeping.cancel() }
        let first = await changes.first { _ in true }
        guard case .renewed("it begins later", let ends)? = first else {
            Issue.record("it was not made anew: \(String(describing: first))")
            return
        }
        #expect(ends < early.serverExpires)
    }

    @Test("An open room whose authority's file has gone stays who it is; by another room's nothing is made")
    func ownAuthorityGone() throws {
        let authority = try authority()
        let stranger = TemporaryFolder()
        let source = try TLSSource(authority: authority)
        let file = try #require(room.content("authority.pem"))
        #expect(unlink(room.path + "/authority.pem") == 0)
        #expect(source.renewIfDue(for: [PeerAddress(ipv4: 0xC000_0232, port: 0)]) != nil)
        #expect(room.content("authority.pem") == file)
        let again = try RoomAuthority(folder: room.folder, names: machine("192.0.2.50"))
        #expect(again.finding == .loaded && again.pin == authority.pin && again.roomID == authority.roomID)

        _ = try RoomAuthority(folder: stranger.folder, names: machine("127.0.0.1"))
        let others = try #require(stranger.content("authority.pem"))
        try room.plant("authority.pem", others)
        let ends = source.ends
        guard case .notRenewed(let reason) = source.renewIfDue(for: [PeerAddress(ipv4: 0xC000_0233, port: 0)]) else {
            Issue.record("it was made by another room's authority")
            return
        }
        #expect(reason.contains("authority.pem holds another room's key"))
        #expect(source.ends == ends && source.bears("192.0.2.50") && !source.bears("192.0.2.51"))
        #expect(room.content("authority.pem") == others)
    }

    @Test("The names that a certificate bears are compared as browsers compare them")
    func names() throws {
        try operators.issue()
        let own = try TLSSource(authority: authority(), files: operators.files)
        for name in ["play.example.org", "PLAY.Example.org", "a.games.example.org", "192.0.2.7"] {
            #expect(own.bears(name))
        }
        for name in [
            "example.org", "a.b.games.example.org", "games.example.org", ".games.example.org", "192.0.2.8", "::1", "",
        ] {
            #expect(!own.bears(name), "\(name)")
        }
        let rooms = try TLSSource(authority: authority())
        #expect(rooms.bears("127.0.0.1") && rooms.bears("studio.local") && !rooms.bears("play.example.org"))
        #expect(rooms.reloadIfChanged() == nil)
    }
}
