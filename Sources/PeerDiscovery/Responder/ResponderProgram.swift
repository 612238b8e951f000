internal import Glibc

/// Where the program is that serves as our responder's process: `roomful`, under a command of its own.
struct ResponderProgram: Sendable, Equatable {
    /// What to hand to the system.
    let path: String

    /// Names another program than the one that would be found.
    static let variable = "ROOMFUL_RESPONDER"
    private static let name = "roomful"

    /// The first there is of: what the variable names, and that alone if it is set; this program, if it is `roomful`;
    /// `roomful` beside it; `roomful` in PATH.
    ///
    /// - Parameters:
    ///   - own: where this program lies.
    ///   - isExecutable: whether a program lies there.
    static func find(
        environment: (String) -> String?, own: String?, isExecutable: (String) -> Bool
    ) -> ResponderProgram? {
        if let named = environment(variable), !named.isEmpty {
            return isExecutable(named) ? ResponderProgram(path: named) : nil
        }
        var places: [String] = []
        if let own, let slash = own.lastIndex(of: "/") {
            // Itself, even if another was put in its place since: the two ends are of one version then.
            if own[own.index(after: slash)...] == name { return ResponderProgram(path: "/proc/self/exe") }
            places.append(String(own[..<slash]))
        }
        // Whoever puts a relative folder there means the shell's, not a game's.
        places += (environment("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
        return places.map { $0 + "/" + name }.first(where: isExecutable).map(ResponderProgram.init(path:))
    }

    static func find() -> ResponderProgram? {
        find(
            environment: { name in getenv(name).map { String(cString: $0) } }, own: own,
            isExecutable: { access($0, X_OK) == 0 })
    }

    /// Why there is none, in a line for people.
    static var missing: String {
        if let named = getenv(variable).map({ String(cString: $0) }), !named.isEmpty {
            return "\(variable) names no program that can be run: \(named.displayed)"
        }
        return "Roomful's own responder needs the program roomful, which is neither beside this program nor in PATH; "
            + "put it there, or name it by \(variable)"
    }

    private static var own: String? {
        withUnsafeTemporaryAllocation(byteCount: Int(PATH_MAX), alignment: 1) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink("/proc/self/exe", start, buffer.count)
            guard count > 0 else { return nil }
            let path = String(decoding: buffer.prefix(count), as: UTF8.self)
            let gone = " (deleted)"
            return path.hasSuffix(gone) ? String(path.dropLast(gone.count)) : path
        }
    }
}
