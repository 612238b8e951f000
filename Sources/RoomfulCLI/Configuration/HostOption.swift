import ArgumentParser
import Foundation

/// One thing that can be said of a room, as a flag of `roomful host` and as a key of a configuration file.
///
/// Read from the command's own description, so that a flag that is added is a key from then on.
struct HostOption: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// One value.
        case text
        /// Any number of values: a TOML array, a flag that is given again.
        case list
        /// Yes or no; `canBeOff` where there is a `--no-` form.
        case flag(canBeOff: Bool)
    }

    /// The flag's long name: `contest-window`.
    var key: String
    var kind: Kind
    /// What the help says of it.
    var sentence: String
    var usual: String?
    var choices: [String]
    /// Whether it is given by its place, and not by its name.
    var isPositional: Bool

    /// Everything that a file may say, in the order of the help.
    static let all: [HostOption] = described.filter { !onlyForPeople.contains($0.key) }

    /// What belongs to one start of the program, not to a room.
    private static let onlyForPeople: Set = ["config", "json", "help", "version", "verbose"]
    /// Values that name files: relative to the configuration's own folder.
    static let files: Set = [
        "cert", "code-file", "gestures", "key", "serve", "state", "record", "site-credentials", "site-ca",
        "site-key", "site-operator", "pseudonyms",
    ]

    var isFile: Bool { Self.files.contains(key) }

    /// The words of a command line that say the same.
    func arguments(_ values: [String]) -> [String] {
        switch kind {
        case .flag(let canBeOff): values == ["true"] ? ["--\(key)"] : canBeOff ? ["--no-\(key)"] : []
        case .text, .list: values.map { "--\(key)=\($0)" }
        }
    }
}

extension HostOption {
    private static let described: [HostOption] = {
        guard let dump = try? JSONDecoder().decode(Dump.self, from: Data(Host._dumpHelp().utf8)) else { return [] }
        let arguments = dump.command.arguments.filter(\.shouldDisplay)
        // A flag that can be turned off is two in the parser's description: it is one key.
        let names = Set(arguments.flatMap(\.longNames))
        return arguments.compactMap { argument in
            let isOpposite = argument.longNames.contains {
                $0.hasPrefix("no-") && names.contains(String($0.dropFirst(3)))
            }
            return isOpposite ? nil : HostOption(argument, names)
        }
    }()

    private init?(_ argument: Dump.Argument, _ names: Set<String>) {
        let long = argument.longNames
        isPositional = argument.kind == "positional"
        guard let key = isPositional ? argument.valueName : argument.preferredName?.name ?? long.first else {
            return nil
        }
        self.key = key
        kind =
            argument.kind == "flag"
            ? .flag(canBeOff: names.contains("no-\(key)")) : argument.isRepeating ? .list : .text
        sentence = argument.abstract ?? ""
        usual = argument.defaultValue
        choices = argument.allValues ?? []
    }

    /// ArgumentParser's description of a command, as far as it is used here.
    private struct Dump: Decodable {
        struct Command: Decodable { var arguments: [Argument] }
        struct Name: Decodable { var kind: String; var name: String }
        struct Argument: Decodable {
            var kind: String
            var shouldDisplay: Bool
            var isRepeating: Bool
            var names: [Name]?
            var preferredName: Name?
            var valueName: String?
            var abstract: String?
            var defaultValue: String?
            var allValues: [String]?

            var longNames: [String] { (names ?? []).filter { $0.kind == "long" }.map(\.name) }
        }
        var command: Command
    }
}
