public import Foundation

/// Where a host or a controller keeps what must outlive it: keys, known rooms, seats.
///
/// ```
/// ~/.local/state/roomful/            $ROOMFUL_STATE, or $XDG_STATE_HOME/roomful
///     known_hosts                    the rooms that this user trusts
///     rooms/living-room-1f0c9a2b3c/  one hosted room: authority.pem, leases.sqlite, code and others (`RoomFile`)
///     run/                           the operator's sockets, where $XDG_RUNTIME_DIR is not set
/// ```
/// Nobody else may write there, nothing in it that is a symbolic link is followed, and what is secret is 0600.
public struct StateFolder: Hashable, Sendable {
    package let folder: PrivateFolder
    private let runtime: String?
    /// Somebody said which folder is meant (`--state`, `ROOMFUL_STATE`), and no other.
    package let isChosen: Bool

    /// Finds the folder, and makes it (0700) if it is missing.
    ///
    /// - Parameters:
    ///   - path: What the user asked for (`--state`); `nil` leaves it to the environment.
    ///   - environment: `ROOMFUL_STATE`, `XDG_STATE_HOME`, `XDG_RUNTIME_DIR` and `HOME` are looked at; an empty value
    ///     and a relative path in an `XDG_` one count as missing (XDG Base Directory Specification 0.8).
    public init(
        _ path: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(StorageError) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        func xdg(_ name: String) -> String? { value(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }

        let named = path.flatMap { $0.isEmpty ? nil : $0 } ?? value("ROOMFUL_STATE")
        isChosen = named != nil
        let chosen =
            named ?? xdg("XDG_STATE_HOME").map { $0 + "/roomful" } ?? xdg("HOME").map { $0 + "/.local/state/roomful" }
        guard let chosen else {
            throw StorageError(.noPlace, path: "", "there is no HOME to keep anything in; use --state FOLDER")
        }
        folder = try PrivateFolder(path: try absolute(chosen), privacy: .ownerWrites)
        runtime = xdg("XDG_RUNTIME_DIR")
    }

    /// The folder's absolute path.
    public var path: String { folder.path }

    /// The folder of a room that is hosted on this machine under `name`.
    package func room(named name: String) throws(StorageError) -> PrivateFolder {
        try folder.subfolder("rooms").subfolder(roomFolderName(name))
    }

    /// Whether a room of this name was ever hosted with this folder.
    package func hasRoom(named name: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/rooms/\(roomFolderName(name))/\(RoomFile.leases)")
    }

    /// Whether a room with another folder has these words, and white space, in this file of its own.
    package func anotherRoom(than folder: PrivateFolder, keeps words: String, in file: String) -> Bool {
        let rooms = "\(path)/rooms"
        let all = (try? FileManager.default.contentsOfDirectory(atPath: rooms)) ?? []
        return all.contains { room in
            guard "\(rooms)/\(room)" != folder.path,
                let other = try? PrivateFolder(path: "\(rooms)/\(room)"),
                let kept = try? other.word(in: file, isSecret: false)
            else { return false }
            return kept == words
        }
    }

    /// The folder of a room that a running program of this machine takes part in, open here or not: of this name, or of any.
    ///
    /// What the lock's file says is read, and no lock is tried: that could keep out a host that starts at this moment.
    package func sharedRoom(named name: String?) -> String? {
        let rooms = "\(path)/rooms"
        let all = (try? FileManager.default.contentsOfDirectory(atPath: rooms)) ?? []
        return (name.map { [roomFolderName($0)] } ?? all.sorted()).first { folder in
            guard let file = FileManager.default.contents(atPath: "\(rooms)/\(folder)/\(RoomFile.ownerLock)"),
                let pid = RoomLock.holder(in: file), pid != getpid(),
                let program = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)
            else { return false }
            return program.hasPrefix("roomful")
        }
    }

    /// Where the operator's sockets lie: `$XDG_RUNTIME_DIR/roomful` if there is one, else `run` in this folder.
    package func runtimeFolder() throws(StorageError) -> PrivateFolder {
        // One of somebody else's is what `su` leaves behind (XDG Base Directory Specification 0.8: "owned by the user").
        if let runtime, Descriptor.Facts(at: runtime)?.owner == geteuid(), access(runtime, W_OK | X_OK) == 0 {
            return try PrivateFolder(path: runtime + "/roomful")
        }
        return try folder.subfolder("run")
    }

    /// Where the operator's socket of a room lies that is hosted with this folder.
    ///
    /// In `$XDG_RUNTIME_DIR` the hosts of all of this user's state folders meet, and each holds the lock of its own folder
    /// alone: so the folder has its part in the socket's name there, and no room takes the place of another.
    package func operatorSocket(ofRoom name: String, ending: String = "sock") throws(StorageError) -> String {
        let place = try runtimeFolder()
        let isOurs = place.path == folder.path + "/run"
        return try place.socketPath(roomFolderName(name, of: isOurs ? nil : folder.path) + "." + ending)
    }
}

/// The path seen from the root, without `.` and empty components; `..` stays, as what it means depends on links.
private func absolute(_ path: String) throws(StorageError) -> String {
    var whole = path
    if !path.hasPrefix("/") {
        guard let here = getcwd(nil, 0) else { throw StorageError(refused: "read", path: ".", number: errno) }
        defer { free(here) }
        whole = String(cString: here) + "/" + path
    }
    return "/" + whole.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
}
