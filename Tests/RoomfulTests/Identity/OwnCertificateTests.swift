import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Testing
import X509

@testable import Identity
@testable import Roomful

/// An operator's certificates, made by openssl as operators make them.
struct OperatorFiles {
    let folder = TemporaryFolder()
    var files: CertificateFiles { CertificateFiles(certificate: path("cert.pem"), key: path("key.pem")) }

    func path(_ name: String) -> String { folder.path + "/" + name }

    /// A certificate for `name` from an authority of its own through an intermediate one; 90 days, as Let's Encrypt's.
    /// - Parameter key: as `openssl genpkey` takes it.
    func issue(_ name: String = "play.example.org", key: String = "-algorithm EC -pkeyopt ec_paramgen_curve:P-256")
        throws
    {
        let folder = folder.path
        _ = try #require(
            try shell(
                """
                set -e; cd '\(folder)'
                if ! [ -e root.pem ]; then
                  openssl req -x509 -newkey rsa:2048 -nodes -keyout root.key -out root.pem -days 3650 -subj '/CN=World Root'
                  openssl req -newkey rsa:2048 -nodes -keyout inter.key -out inter.csr -subj '/CN=World Intermediate'
                  printf 'basicConstraints=critical,CA:TRUE,pathlen:0\\nkeyUsage=critical,keyCertSign,cRLSign\\n' >inter.cnf
                  openssl x509 -req -in inter.csr -CA root.pem -CAkey root.key -CAcreateserial -days 1825 -extfile inter.cnf -out inter.pem
                fi
                openssl genpkey \(key) -out key.new
                openssl req -new -key key.new -subj '/CN=\(name)' -out leaf.csr
                printf 'subjectAltName=DNS:\(name),DNS:*.games.example.org,IP:192.0.2.7\\nextendedKeyUsage=serverAuth\\nkeyUsage=digitalSignature\\n' >leaf.cnf
                openssl x509 -req -in leaf.csr -CA inter.pem -CAkey inter.key -CAcreateserial -days 90 -extfile leaf.cnf -out leaf.pem
                cat leaf.pem inter.pem >cert.new; mv key.new key.pem; mv cert.new cert.pem
                """))
    }
}

@Suite("An operator's own certificate")
struct OwnCertificateTests {
    let operators = OperatorFiles()

    private func problem(_ files: CertificateFiles) -> String? {
        failure(IdentityError.self) { try OwnCertificate(files) }?.description
    }

    @Test(
        "A chain with its key is taken, RSA or ECDSA",
        arguments: [
            "-algorithm EC -pkeyopt ec_paramgen_curve:P-256", "-algorithm EC -pkeyopt ec_paramgen_curve:P-384",
            "-algorithm RSA -pkeyopt rsa_keygen_bits:2048",
        ])
    func good(key: String) throws {
        try operators.issue(key: key)
        let own = try OwnCertificate(operators.files)
        #expect(own.chain.count == 2)
        #expect(own.leaf.serverNames.dnsNames == ["play.example.org"])
    }

    @Test("A key that every user may open is refused, and says how to mend it; one for its group is taken")
    func openKey() throws {
        try operators.issue()
        let files = operators.files
        for mode: mode_t in [0o604, 0o644, 0o606, 0o602] {
            chmod(files.key, mode)
            #expect(problem(files)?.contains("chmod o= \(files.key)") == true)
        }
        chmod(files.key, 0o640)
        #expect(problem(files) == nil)
    }

    @Test("A pipe in place of key or certificate is refused at once, and not waited for", arguments: [true, false])
    func pipe(isKey: Bool) throws {
        try operators.issue()
        let files = operators.files
        let path = isKey ? files.key : files.certificate
        unlink(path)
        mkfifo(path, 0o600)
        #expect(problem(files)?.contains("not a plain file") == true)
    }

    @Test("Files that are missing or closed to us are named, with their option")
    func unreadable() throws {
        try operators.issue()
        var files = operators.files
        files.certificate = operators.path("nowhere.pem")
        #expect(problem(files) == "--cert: cannot read \(files.certificate): No such file or directory")
        files = operators.files
        files.key = operators.folder.path
        #expect(problem(files) == "--key: \(files.key) is not a plain file")
    }

    @Test("A key of another certificate, and a chain in the wrong order, are told apart")
    func unfit() throws {
        try operators.issue()
        try operators.folder.plant("old-key.pem", try #require(operators.folder.content("key.pem")))
        try operators.issue()
        var files = operators.files
        files.key = operators.path("old-key.pem")
        #expect(problem(files)?.contains("the key in \(files.key) is not that of the certificate in") == true)

        let chain = try #require(operators.folder.content("inter.pem")) + #require(operators.folder.content("leaf.pem"))
        try operators.folder.plant("turned.pem", chain)
        files = operators.files
        files.certificate = operators.path("turned.pem")
        #expect(problem(files)?.contains("must be the host's own") == true)
    }

    @Test("Of an expired certificate the day is told, and of one of the future a hint at the clock")
    func dates() throws {
        try operators.issue()
        let own = try OwnCertificate(operators.files)
        let end = own.leaf.notValidAfter
        #expect(own.whyUntimely(at: end - 1) == nil)
        let expired = try #require(own.whyUntimely(at: end + 1))
        #expect(expired.contains("has expired, on \(end.formatted(.iso8601.year().month().day()))"))
        #expect(own.whyUntimely(at: Date() - 86_400)?.contains("clock") == true)
    }

    @Test(
        "An encrypted key is refused with the command that decrypts it, in either form",
        arguments: ["", "-traditional"])
    func encrypted(form: String) throws {
        try operators.issue()
        let key = operators.path("key.pem")
        _ = try shell("openssl pkey \(form) -in '\(key)' -aes256 -passout pass:secret -out '\(key).enc'")
        var files = operators.files
        files.key += ".enc"
        #expect(problem(files)?.contains("is encrypted") == true)
        #expect(problem(files)?.contains("openssl pkey -in") == true)
    }

    @Test("What is no PEM, holds no certificate or no key, or too many, gives one line each")
    func garbage() throws {
        try operators.issue()
        _ = try shell("cd '\(operators.folder.path)' && openssl x509 -in cert.pem -outform DER -out cert.der")
        let chain = try #require(operators.folder.content("cert.pem"))
        try operators.folder.plant("empty.pem", "")
        try operators.folder.plant("long.pem", String(repeating: chain, count: 4))
        try operators.folder.plant("broken.pem", chain.replacing("MII", with: "MIH"))
        for (certificate, key, expected) in [
            ("cert.der", "key.pem", "is not PEM"), ("empty.pem", "key.pem", "holds no certificate"),
            ("key.pem", "key.pem", "holds no certificate"), ("cert.pem", "cert.pem", "holds no private key"),
            ("cert.pem", "empty.pem", "holds no private key"), ("long.pem", "key.pem", "holds 8 certificates"),
            ("broken.pem", "key.pem", "cannot be understood"),
        ] {
            let files = CertificateFiles(certificate: operators.path(certificate), key: operators.path(key))
            chmod(files.key, 0o600)
            let line = try #require(problem(files), "\(certificate) with \(key)")
            #expect(line.contains(expected) && !line.contains("\n"), "\(line)")
        }
    }
}
