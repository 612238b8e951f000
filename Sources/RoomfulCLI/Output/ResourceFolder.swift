import Foundation

/// Where the files lie that come with the program: `share/roomful` beside its `bin`, or the sources that it was built from.
enum ResourceFolder {
    /// This program's own file.
    static var program: String? { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") }

    /// The nearest folder that holds all of these.
    static func holding(_ needed: String...) -> String? {
        guard let program else { return nil }
        var place = URL(fileURLWithPath: program).deletingLastPathComponent()
        while place.path != "/" {
            for candidate in [place.appendingPathComponent("share/roomful"), place] {
                let paths = needed.map { candidate.appendingPathComponent($0).path }
                if paths.allSatisfy(FileManager.default.fileExists) { return candidate.path }
            }
            place.deleteLastPathComponent()
        }
        return nil
    }
}
