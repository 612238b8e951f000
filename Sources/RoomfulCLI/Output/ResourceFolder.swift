import Foundation

/// Where the files lie that come with the program: `share/roomful` beside its `bin`, or the sources that it was built from.
enum ResourceFolder {
    /// This program's own file.
    static var program: String? { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") }

    /// The nearest folder that holds all of these, and in which nobody else could have put them: what stands there is run, or
    /// opened, by whoever runs this program.
    static func holding(_ needed: String...) -> String? {
        guard let program else { return nil }
        var place = URL(fileURLWithPath: program).deletingLastPathComponent()
        while place.path != "/" {
            for candidate in [place.appendingPathComponent("share/roomful"), place] {
                let paths = needed.map { candidate.appendingPathComponent($0).path }
                if paths.allSatisfy(FileManager.default.fileExists), isOurs(candidate.path, needed) {
                    return candidate.path
                }
            }
            place.deleteLastPathComponent()
        }
        return nil
    }

    /// Whether the folder, and each on the way to what is needed there, is of root, of whose the program is, or of whoever runs
    /// it, and not for everybody to write in.
    private static func isOurs(_ folder: String, _ needed: [String]) -> Bool {
        var owners: Set<Int> = [0, Int(geteuid())]
        if let program, let facts = facts(of: program) { owners.insert(facts.owner) }
        let way = Set(
            needed.flatMap { path in
                let parts = path.split(separator: "/")
                return (0...parts.count).map { ([folder] + parts[..<$0].map(String.init)).joined(separator: "/") }
            })
        return way.allSatisfy { path in
            facts(of: path).map { owners.contains($0.owner) && $0.permissions & 0o002 == 0 } ?? false
        }
    }

    /// Whose it is, and who may do what; of a link, where it leads.
    static func facts(of path: String) -> (owner: Int, permissions: Int)? {
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard let facts = try? FileManager.default.attributesOfItem(atPath: place),
            let owner = facts[.ownerAccountID] as? NSNumber, let permissions = facts[.posixPermissions] as? NSNumber
        else { return nil }
        return (owner.intValue, permissions.intValue)
    }
}
