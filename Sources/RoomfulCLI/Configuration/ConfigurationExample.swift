/// A configuration file to begin with: every key with its sentence and its usual value, commented out.
enum ConfigurationExample {
    static let text: String = {
        var text = """
            # Rooms of Roomful. Start them with:  roomful host --config FILE
            # Look it over with:                  roomful config check FILE
            #
            # A key above the first [[room]] holds for every room; below, for that room alone. Paths are relative to this file.
            # A second [[room]] is a second room, with a name and, where it is given, a port of its own.

            [[room]]
            name = "Living Room"

            """
        for option in HostOption.all where option.key != "name" {
            text += "\n# \(option.sentence)\(choices(option))\n#\(option.key) = \(value(option))\n"
        }
        return text
    }()

    private static func choices(_ option: HostOption) -> String {
        option.choices.isEmpty ? "" : " One of: \(option.choices.joined(separator: ", "))."
    }

    private static func value(_ option: HostOption) -> String {
        switch option.kind {
        case .flag: return option.usual ?? "true"
        case .list: return "[]"
        case .text:
            guard let usual = option.usual else { return "\"\"" }
            return Double(usual) != nil ? usual : "\"\(usual)\""
        }
    }
}
