import SiteRecords

/// A configuration of nats-server for a site: JetStream, an account of its own, and a user for each role.
struct SiteConfiguration {
    var site: SiteName
    /// `127.0.0.1:4222`.
    var listen: String
    /// Absolute.
    var store: String
    /// Certificate with its chain, and key; absolute.
    var certificate: (chain: String, key: String)?
    /// By role.
    var passwords: [SiteRole: String]

    var text: String {
        let users = SiteRole.allCases.map(user).joined(separator: "\n")
        return """
            # Broker of the site "\(site)". Start it with:  nats-server -c nats-server.conf
            # It holds passwords: keep it to its owner (0600). Roomful's Documentation/SITE.md says what each subject is.

            server_name: \(Self.quoted("roomful-\(site)"))
            listen: \(Self.quoted(listen))
            max_payload: 1MB
            # A reader that takes nothing for so long is let go.
            write_deadline: "5s"
            \(encryption)
            jetstream {
                store_dir: \(Self.quoted(store))
                max_memory_store: 64MB
                # Promised, not taken: 512 MiB to events, 16 MiB to each room that outlives its machine.
                max_file_store: 16GB
            }

            accounts {
                \(Self.quoted("site-\(site)")) {
                    jetstream: enabled
                    users: [
            \(users)
                    ]
                }
            }

            """
    }

    private var encryption: String {
        guard let certificate else {
            return
                "# Not encrypted: for this machine, or a network that you trust. With a certificate: roomful site init --cert …"
        }
        return """
            tls {
                cert_file: \(Self.quoted(certificate.chain))
                key_file: \(Self.quoted(certificate.key))
            }
            """
    }

    private func user(_ role: SiteRole) -> String {
        let subjects = SiteSubjects(site)
        // Whoever is asked may answer: once, within the time that an invitation may stand.
        let answers = role == .host ? "\n                        allow_responses: { max: 1, expires: \"1h\" }" : ""
        return """
                        # \(role.purpose)
                        { user: \(role.rawValue), password: \(Self.quoted(passwords[role] ?? "")), permissions: {
                                    publish: [\(role.publishes(subjects).map(Self.quoted).joined(separator: ", "))]
                                    subscribe: [\(role.hears(subjects).map(Self.quoted).joined(separator: ", "))]\(answers)
                        } }
            """
    }

    /// A string of NATS's configuration: only a backslash and quotes must be escaped, also where an accent joins them.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\\" || scalar == "\"" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
