import ArgumentParser
import Foundation
import Roomful
import SiteBroker
import SiteRecords
import Synchronization

/// Which site is meant, and how its broker is reached: by flags, or by the environment.
struct SiteChoice: ParsableArguments {
    @Option(
        help: """
            Its broker, nats://HOST:PORT or tls://HOST:PORT, or several of a cluster with commas between; else $ROOMFUL_SITE, \
            or nats://127.0.0.1:4222.
            """)
    var broker: String?
    @Option(help: "What the site is called; else $ROOMFUL_SITE_NAME, or main.") var siteName: String?
    @Option(
        help: "USER:PASSWORD, a token, or NATS's own credentials in a file; else $ROOMFUL_SITE_CREDENTIALS.",
        completion: .file(), transform: String.ofPath)
    var siteCredentials: String?
    @Option(
        help: "With tls://: whom to believe, in PEM; else $ROOMFUL_SITE_CA.", completion: .file(),
        transform: String.ofPath)
    var siteCa: String?

    private static func named(_ variable: String) -> String? {
        ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// - Throws: `RoomError` with code `badOption`.
    func options() throws -> SiteOptions {
        var options = SiteOptions(
            broker: broker ?? Self.named("ROOMFUL_SITE") ?? "nats://127.0.0.1:4222",
            site: try SiteHostOptions.named(siteName ?? Self.named("ROOMFUL_SITE_NAME")))
        options.credentials = siteCredentials ?? Self.named("ROOMFUL_SITE_CREDENTIALS")
        options.authorities = siteCa ?? Self.named("ROOMFUL_SITE_CA")
        if let problem = options.problem { throw RoomError(.badOption, "--broker or $ROOMFUL_SITE: \(problem)") }
        VisibleSecret.warn(of: options, option: "--broker")
        return options
    }

    var isGiven: Bool { broker != nil || siteName != nil || siteCredentials != nil || siteCa != nil }
}

/// A password in the broker's address, where that was typed: every user of the machine reads it by ps.
enum VisibleSecret {
    private static let hasWarned = Mutex(false)

    /// Warns once; an address that stands in a file or in the environment is seen by nobody else.
    static func warn(of options: SiteOptions, option: String) {
        guard let warning = warning(of: options, option: option, among: CommandLine.arguments) else { return }
        let isFirst = hasWarned.withLock { hasWarned in
            defer { hasWarned = true }
            return !hasWarned
        }
        if isFirst { Failure.say(warning) }
    }

    /// Warns of one that stands in a file which others may read.
    static func warn(of options: SiteOptions, in file: String) {
        guard options.hasSecretInAddress, let facts = ResourceFolder.facts(of: file), facts.permissions & 0o004 != 0
        else { return }
        Failure.say(
            "every user of this machine can read the password or token that stands in \(file): put it into a file of its "
                + "own (chmod 600), as USER:PASSWORD or a token, and name that with site_credentials")
    }

    static func warning(of options: SiteOptions, option: String, among arguments: [String]) -> String? {
        guard options.hasSecretInAddress,
            arguments.contains(where: { $0.contains(options.broker) })
        else { return nil }
        return "every user of this machine can read the password or token that stands in \(option), by ps: put it into "
            + "a file (chmod 600), as USER:PASSWORD or a token, and give that with --site-credentials FILE"
    }
}

extension SiteOptions {
    /// A password or token stands in the broker's address itself.
    var hasSecretInAddress: Bool { addresses.contains { $0.user != nil } }
}

extension BrokerConnection {
    /// A connection for a command, which ends with it.
    static func open(_ options: SiteOptions, closed: @escaping @Sendable () -> Void = {}) async throws
        -> BrokerConnection
    {
        try await open(options, name: "roomful", closed: closed)
    }
}
