import ArgumentParser
import Foundation
import Identity
import PrivateFiles
import Roomful
import SiteRecords
import SiteSuccession
import WireProtocol

extension SiteCommand {
    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
            abstract: "Write a broker's configuration that works as it is, credentials for roles, and the site's key.",
            discussion: """
                Example:  roomful site init arcade --name arcade && nats-server -c arcade/nats-server.conf
                The roles are host, game, operator and reader, each with the least that it needs. Files that are there are
                left alone: to make new passwords, remove them first.
                """)
        @Argument(
            help: "A folder for configuration, credentials and the broker's own files; made where it is missing.",
            completion: .directory, transform: String.ofPath)
        var folder: String
        @Option(help: "What the site is called: 1 to 32 of a-z, 0-9 and hyphen.") var name = "main"
        @Option(help: "Where the broker listens: ADDRESS:PORT. Other machines need 0.0.0.0:4222, and better --cert.")
        var listen = "127.0.0.1:4222"
        @Option(help: "A certificate for the broker, with its chain, in PEM; needs --key.", completion: .file())
        var cert: String?
        @Option(help: "The private key of --cert.", completion: .file()) var key: String?

        func run() async throws {
            try await Failure.explained {
                let site = try SiteHostOptions.named(name)
                guard let address = MetricsAddress(listen), address.port > 0 else {
                    throw RoomError(
                        .badOption, "--listen takes an address and a port, such as 0.0.0.0:4222, not \"\(listen)\"")
                }
                let certificate = try certificate()
                let root = URL(fileURLWithPath: folder).standardizedFileURL.path
                let place = try Self.makeFolder(root)
                var passwords: [SiteRole: String] = [:]
                for role in SiteRole.allCases { passwords[role] = Self.password() }
                let configuration = SiteConfiguration(
                    site: site, listen: listen, store: root + "/jetstream", certificate: certificate,
                    passwords: passwords)
                var files = ["nats-server.conf": configuration.text, "site.key": SiteKey.random().text + "\n"]
                for (role, password) in passwords { files[role.file] = "\(role.rawValue):\(password)\n" }
                for (name, text) in files { try place.replace(name, with: Array(text.utf8)) }
                say(site, root, address)
            }
        }

        private func say(_ site: SiteName, _ root: String, _ place: MetricsAddress) {
            let host = ["0.0.0.0", "::"].contains(place.host) ? "THIS-MACHINE" : place.host
            let broker = "\(cert == nil ? "nats" : "tls")://\(host.contains(":") ? "[\(host)]" : host):\(place.port)"
            let configuration = shellWord(root + "/nats-server.conf")
            Terminal.print("broker:    nats-server -c \(configuration)     # apt install nats-server")
            for role in SiteRole.allCases {
                let label = (role.rawValue + ":").padding(toLength: 11, withPad: " ", startingAt: 0)
                Terminal.print(label + role.command(site, broker: broker, file: shellWord("\(root)/\(role.file)")))
            }
            Terminal.print(
                "standby:   as host, with --standby; both with --site-key \(shellWord(root + "/site.key")), if rooms shall "
                    + "outlive their hosts")
            if cert == nil, place.host != "127.0.0.1" {
                Failure.say(
                    "without --cert and --key passwords cross the network unencrypted: keep it to one that you trust")
            }
        }

        private func certificate() throws -> (chain: String, key: String)? {
            guard let cert, let key else {
                if cert != nil || key != nil { throw RoomError(.badOption, "--cert and --key go together") }
                return nil
            }
            do throws(IdentityError) {
                try CertificateFiles(certificate: cert, key: key).check()
            } catch {
                throw RoomError(.badOption, error.description)
            }
            func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }
            return (absolute(cert), absolute(key))
        }

        /// - Throws: `RoomError` where a site is there already, or none can be; `StorageError` where others may write.
        private static func makeFolder(_ root: String) throws -> PrivateFolder {
            let folder = try PrivateFolder.named(root)
            let files = ["nats-server.conf", "site.key"] + SiteRole.allCases.map(\.file)
            let there = files.filter { FileManager.default.fileExists(atPath: root + "/" + $0) }
            guard there.isEmpty else {
                throw RoomError(
                    .badOption,
                    "\(root) holds a site already (\(there.joined(separator: ", "))): name another folder; without its key nobody "
                        + "can go on with that site's rooms")
            }
            return folder
        }

        /// 160 bits, in letters and digits that no configuration takes for anything else.
        private static func password() -> String {
            let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
            var generator = SystemRandomNumberGenerator()
            return String((0..<32).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] })
        }
    }
}
