import Connections
import Foundation
import Roomful
import SiteRecords

/// What is to be written so that a machine hosts a room by itself, and how it is started.
struct ServicePlan {
    /// `roomful@living-room`.
    let instance: String
    /// The room's file, as the machine will see it.
    let file: String
    /// What was done, a line each.
    private(set) var written: [String] = []
    private let text: String
    private let files: MachineFiles
    private let program: String

    /// - Parameters:
    ///   - room: the words of a `roomful host` command line.
    ///   - alias: the service's own name.
    ///   - root: `/`, or the folder that holds another machine's files.
    /// - Throws: ``RoomError`` for what cannot be a room, or cannot be a service.
    init(room: [String], alias: String?, root: String) throws {
        guard !room.isEmpty else {
            throw RoomError(.badOption, "say the room's name: roomful service install \"Living Room\"")
        }
        let room = try WrittenRoom(room, folder: FileManager.default.currentDirectoryPath)
        if let hidden = room.files.first(where: Self.isHidden) {
            throw RoomError(
                .badOption, "a service cannot read \(hidden): copy it into \(ServiceUnit.folder), and name it there")
        }
        let checked = try ConfigurationFile(room.text, name: "the room", folder: ServiceUnit.folder)
        guard let host = checked.rooms.first?.host else { throw RoomError(.badOption, "say the room's name") }
        if let site = host.membership.site, SiteOptions(broker: site, site: .usual).hasSecretInAddress {
            throw RoomError(
                .badOption,
                "the service's file can be read by everybody, and the password in --site with it: put that into a file of "
                    + "the service's own user, as USER:PASSWORD or a token, and name it with --site-credentials FILE")
        }
        let name = alias ?? Self.slug(host.name)
        guard !name.isEmpty, name == Self.slug(name) else {
            throw RoomError(
                .badOption, "say the service's own name with --as: letters a to z, digits and hyphens, such as hall")
        }
        instance = "roomful@\(name)"
        file = "\(ServiceUnit.folder)/\(name).toml"
        text = "# Written by roomful service install. Look it over: roomful config check \(file)\n" + room.text
        files = MachineFiles(root: root)
        // Another machine has it where the package puts it.
        program = files.areElsewhere ? "/usr/bin/roomful" : ResourceFolder.program ?? "/usr/bin/roomful"
    }

    /// `Living Room` as a file and a unit may be called: `living-room`.
    private static func slug(_ name: String) -> String {
        let words = name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return String(words.joined(separator: "-").prefix(48))
    }

    /// The unit sees no homes and a temporary folder of its own.
    private static func isHidden(_ path: String) -> Bool {
        ["/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"].contains { path.hasPrefix($0) }
    }

    // MARK: Writing

    /// Writes the room's file, and the unit where no package brought it.
    mutating func write() throws {
        guard try !files.hold(file) else {
            throw RoomError(
                .badOption, "there is \(file) already: change it there, then: systemctl restart \(instance)")
        }
        let packaged = "/usr/lib/systemd/system/\(ServiceUnit.name)"
        let own = "/etc/systemd/system/\(ServiceUnit.name)"
        if try [packaged, own].allSatisfy({ try !files.hold($0) }) {
            guard !Self.isHidden(program) else {
                throw RoomError(
                    .badOption,
                    "a service cannot run \(program): copy it to /usr/local/bin first, and install the service with that"
                )
            }
            // In a unit blanks end a word, and a percent sign begins one of systemd's own.
            guard program.unicodeScalars.allSatisfy({ $0.isASCII && !" %\"'\\$".unicodeScalars.contains($0) }) else {
                throw RoomError(
                    .badOption,
                    "a service cannot run \(program), as its path has a sign that a unit cannot hold: copy it to /usr/local/bin"
                )
            }
            try put(ServiceUnit.text(program: program) + "\n", at: own)
        }
        let users = ["/usr/lib/sysusers.d/roomful.conf", "/etc/sysusers.d/roomful.conf"]
        if try users.allSatisfy({ try !files.hold($0) }) {
            try put(ServiceUnit.user + "\n", at: users[1])
        }
        try put(text, at: file)
    }

    private mutating func put(_ text: String, at path: String) throws {
        written.append("wrote \(try files.write(text, to: path))")
    }

    // MARK: Starting

    /// Starts the service, now and at each boot.
    ///
    /// - Throws: ``RoomError`` with what systemd said; the files stay.
    func start() throws {
        guard FileManager.default.fileExists(atPath: "/run/systemd/system") else {
            throw RoomError(
                .closed,
                "systemd does not run here, so nothing was started; by hand: roomful host --config \(file)")
        }
        // Without systemd-sysusers there is a user for as long as the service runs.
        _ = try Self.succeeds(["systemd-sysusers", "roomful.conf"])
        for words in [["daemon-reload"], ["enable", "--now", instance]] {
            guard try Self.succeeds(["systemctl"] + words) else {
                throw RoomError(
                    .closed,
                    "systemctl \(words.joined(separator: " ")) failed; why: systemctl status \(instance), journalctl -u \(instance)"
                )
            }
        }
    }

    private static func succeeds(_ words: [String]) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}
