import Foundation

/// Where rooms that a service manager runs have their operators' sockets: `/run/roomful/INSTANCE/roomful/ROOM.sock`.
///
/// systemd makes a folder for each instance of `roomful@.service` (`RuntimeDirectory=`), which is that instance's
/// `$XDG_RUNTIME_DIR`. They are 0700 and the services' user's, who sees in each room its own alone (the unit's
/// `TemporaryFileSystem=`): so nobody but root sees them all.
package struct ServiceFolders: Sendable {
    /// Of the machine's own services.
    package static let ofThisMachine = ServiceFolders("/run/roomful")

    private let place: String

    package init(_ place: String) { self.place = place }

    /// The names of what runs, or ran; none where others than root could have put them there.
    package var instances: [String] {
        guard let facts = Descriptor.Facts(at: place), facts.isFolder, facts.permissions & 0o022 == 0,
            [0, geteuid()].contains(facts.owner)
        else { return [] }
        return names(in: place).filter { Descriptor.Facts(at: "\(place)/\($0)")?.isFolder == true }
    }

    /// The sockets that this user may see, and whose they are; of one instance at most 64.
    package var sockets: [(path: String, owner: UInt32)] {
        instances.flatMap { instance -> [(path: String, owner: UInt32)] in
            let folder = "\(place)/\(instance)/roomful"
            guard let facts = Descriptor.Facts(at: folder), facts.isFolder else { return [] }
            return names(in: folder).filter { $0.hasSuffix(".sock") }.prefix(64).map { "\(folder)/\($0)" }
                .filter { Descriptor.Facts(at: $0)?.isSocket == true }.map { ($0, facts.owner) }
        }
    }

    private func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }
}
