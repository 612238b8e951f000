/// A configuration file to begin with: every key with its sentence and its usual value, if it has one, commented out.
enum ConfigurationExample {
    static let text: String = {
        var text = """
            # Rooms of Roomful. Start them with:  roomful host --config FILE
            # Look it over with:                  roomful config check FILE
            #
            # A key above the first [[room]] holds for every room; below, for that room alone. Paths are relative to this file.
            # A second [[room]] is a second room, with a name and, where it is given, a port of its own.
            # Each key stands here with the value that holds without it; one with nothing behind it has none.

            [[room]]
            name = "Living Room"

            """
        for option in HostOption.all where option.key != "name" {
            text += "\n# \(option.sentence)\(choices(option))\n#\(option.key) =\(usual(option))\n"
        }
        return text
    }()

    private static func choices(_ option: HostOption) -> String {
        option.choices.isEmpty ? "" : " One of: \(option.choices.joined(separator: ", "))."
    }

    private static func usual(_ option: HostOption) -> String {
        switch option.kind {
        case .flag(let canBeOff): " \(option.usual ?? "\(canBeOff)")"
        case .list: " []"
        case .text: option.usual.map { Double($0) != nil ? " \($0)" : " \"\($0)\"" } ?? ""
        }
    }
}
