import Connections
import Foundation
import Identity
import PrivateFiles
import WireProtocol

/// What a controller keeps from one run of its program to the next: who it is, and what brings it back to its seats.
///
/// One file a controller's name, `controllers/<name>` in the state folder, 0600:
///
/// ```
/// roomful-controller 1
/// id 0f0e0d0c0b0a09080706050403020100
/// seat 00112233445566778899aabbccddeeff 404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f
/// earlier 00112233445566778899aabbccddeeff 505152535455565758595a5b5c5d5e5f404142434445464748494a4b4c4d4e4f
/// ```
/// A seat's line is the room's id and the resumption secret, the room joined last at the end. The secret that brought the
/// controller there stays, too, until the next: a host that went on with the room after another died may know no later one.
struct ControllerMemory: Hashable, Sendable {
    /// Rooms remembered; the one not joined for longest gives way.
    static let mostSeats = 64
    private static let folderName = "controllers"
    private static let longestFile = 64 << 10

    let id: ControllerID
    private(set) var seats: [Place] = []

    struct Place: Hashable, Sendable {
        let roomID: RoomID
        /// 64 hexadecimal digits.
        let secret: String
        /// The one before, by which the seat was had last.
        var earlier: String?
    }

    init(id: ControllerID) { self.id = id }

    /// A controller that never was before.
    static func random() -> ControllerMemory {
        ControllerMemory(id: ControllerID(high: .random(in: .min ... .max), low: .random(in: .min ... .max)))
    }

    /// What brings the controller back to its seat in this room.
    func secret(for roomID: RoomID) -> String? { seats.last { $0.roomID == roomID }?.secret }

    /// What brings it back where the host knows no later one.
    func earlierSecret(for roomID: RoomID) -> String? { seats.last { $0.roomID == roomID }?.earlier }

    /// The host took the earlier secret: the later one is nobody's.
    mutating func fallBack(in roomID: RoomID) {
        guard let earlier = earlierSecret(for: roomID) else { return }
        forget(roomID)
        remember(earlier, for: roomID)
    }

    mutating func remember(_ secret: String, for roomID: RoomID) {
        let before = seats.last { $0.roomID == roomID }
        forget(roomID)
        let earlier = before?.secret == secret ? before?.earlier : before?.secret
        seats.append(Place(roomID: roomID, secret: secret, earlier: earlier))
        if seats.count > Self.mostSeats { seats.removeFirst() }
    }

    mutating func forget(_ roomID: RoomID) { seats.removeAll { $0.roomID == roomID } }
}

/// The memory as a file.
extension ControllerMemory {
    /// Reads the text of a file; `nil` unless it says who the controller is. Other lines that make no sense are left out.
    init?(text: String) {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.split(separator: " ") }
        let ids = lines.filter { $0.count == 2 && $0[0] == "id" }.compactMap { ControllerID(String($0[1])) }
        guard lines.first == ["roomful-controller", "1"], let id = ids.first else { return nil }
        self.init(id: id)
        for line in lines where line.count == 3 && line[0] == "seat" {
            guard let roomID = RoomID(String(line[1])), isSecret(String(line[2])) else { continue }
            remember(String(line[2]), for: roomID)
        }
        for line in lines where line.count == 3 && line[0] == "earlier" {
            guard let roomID = RoomID(String(line[1])), isSecret(String(line[2])),
                let place = seats.firstIndex(where: { $0.roomID == roomID })
            else { continue }
            seats[place].earlier = String(line[2])
        }
    }

    var text: String {
        let lines =
            ["roomful-controller 1", "id \(id)"] + seats.map { "seat \($0.roomID) \($0.secret)" }
            + seats.compactMap { seat in seat.earlier.map { "earlier \(seat.roomID) \($0)" } }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What the controller of this name remembers; a new one is made, and kept, if there was none.
    static func open(
        _ name: String, in state: StateFolder, onDamage: ((String) -> Void)? = nil
    ) throws(StorageError) -> ControllerMemory {
        try update(name, in: state, onDamage: onDamage) { _ in }
    }

    /// Changes what is remembered now, at once or not at all; two programs of one user wait for each other.
    ///
    /// `change` may be asked twice. Where it changes nothing, nothing is written, not even the lock: the disk may be
    /// one that cannot be.
    ///
    /// - Parameter onDamage: told in a line for people where a file is put aside that cannot be understood.
    /// - Throws: ``StorageError`` if the disk refuses, or if the file is a newer version's: that one stays as it is.
    @discardableResult
    static func update(
        _ name: String, in state: StateFolder, onDamage: ((String) -> Void)? = nil,
        _ change: (inout ControllerMemory) -> Void
    ) throws(StorageError) -> ControllerMemory {
        let folder = try state.folder.subfolder(folderName)
        let file = roomFolderName(name)
        if let found = try load(file, in: folder) {
            var wanted = found
            change(&wanted)
            if wanted == found { return found }
        }
        return try folder.withLock(".\(file).lock") { () throws(StorageError) in
            let before = try load(file, in: folder)
            if before == nil, try folder.read(file, limit: longestFile) != nil {
                let aside = try folder.setAside(file, now: Date())
                onDamage?(
                    "\(folder.path(of: file)) was broken: “\(name)” is a new controller to every room, and has lost "
                        + "its seats; kept as \(aside)")
            }
            var memory = before ?? .random()
            change(&memory)
            if memory != before { try folder.replace(file, with: memory.text) }
            return memory
        }
    }

    private static func load(_ file: String, in folder: PrivateFolder) throws(StorageError) -> ControllerMemory? {
        guard let bytes = try folder.read(file, limit: longestFile) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        let title: [Substring] = text.split(whereSeparator: \.isNewline).first?.split(separator: " ") ?? []
        if title.count > 1, title[0] == "roomful-controller", let version = Int(title[1]), version > 1 {
            let path = folder.path(of: file)
            throw StorageError(
                .newerVersion, path: path, "\(path) was written by a newer roomful; update it or use --state")
        }
        return ControllerMemory(text: text)
    }
}

/// A resumption secret is 64 hexadecimal digits.
func isSecret(_ text: String) -> Bool { text.utf8.count == 64 && Hexadecimal.decode(text) != nil }
