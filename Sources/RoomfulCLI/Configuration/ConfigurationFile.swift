import ArgumentParser
import Connections
import Foundation
import Identity
import InputMerge
import MotionFiles
import PrivateFiles
import Roomful
import SiteRecords
import SiteSuccession
import TOMLKit
import WebFront

/// Rooms as an operator writes them down: a TOML file whose keys are the flags of `roomful host`.
///
/// ```toml
/// state = "/var/lib/roomful"   # what stands here holds for every room
///
/// [[room]]
/// name = "Living Room"
/// seats = 8
/// play = "keepcalm"
///
/// [[room]]
/// name = "Hall"
/// policy = "open"
/// ```
/// A file without `[[room]]` describes one room.
struct ConfigurationFile {
    /// One room of the file.
    struct Room {
        var host: Host
        /// What is written for it, key by key, those of all rooms included.
        var values: [String: [String]]
        /// Where it begins, from 1.
        var line: Int
    }

    /// The longest file that is read, in bytes.
    static let longest = 262_144
    static let mostRooms = 100

    let name: String
    private(set) var rooms: [Room] = []
    private let folder: String
    private let lines: ConfigurationLines

    /// - Throws: ``RoomError`` with code `badOption`, naming file, line and what to write instead.
    init(path: String) throws(RoomError) { try self.init(text: Self.read(path), path: path) }

    /// - Parameter text: what was read from there.
    init(text: String, path: String) throws(RoomError) {
        try self.init(text, name: path, folder: URL(fileURLWithPath: path).deletingLastPathComponent().path)
        let sites = rooms.compactMap(\.host.membership.site).map { SiteOptions(broker: $0, site: .usual) }
        if let open = sites.first(where: \.hasSecretInAddress) { VisibleSecret.warn(of: open, in: path) }
    }

    /// - Parameters:
    ///   - name: what errors call the file.
    ///   - folder: what its relative paths start from.
    init(_ text: String, name: String, folder: String) throws(RoomError) {
        self.name = name
        self.folder = folder
        lines = ConfigurationLines(text)
        let table = try openedTOML(
            text, from: name, namelessHeader: "what stands in brackets begins with a name: [[room]]")
        let shared = try values(of: table, in: nil)
        let written = try tables(table)
        guard written.count <= Self.mostRooms else {
            throw error(nil, "room", "a file holds at most \(Self.mostRooms) rooms")
        }
        if written.count > 1, shared["name"] != nil {
            throw error(nil, "name", "each room needs a name of its own; write it below its [[room]]")
        }
        if written.isEmpty {
            rooms = [Room(host: try host(shared, nil), values: shared, line: 1)]
        } else {
            for (index, own) in written.enumerated() {
                let all = shared.merging(try values(of: own, in: index)) { $1 }
                rooms.append(
                    Room(
                        host: try host(all, index), values: all,
                        line: lines.rooms.indices.contains(index) ? lines.rooms[index] : 1))
            }
        }
        try refuseDoubles()
    }

    // MARK: Reading

    /// What `[[room]]` holds.
    private func tables(_ table: TOMLTable) throws(RoomError) -> [TOMLTable] {
        guard let value = table["room"] else { return [] }
        guard let array = value.array else {
            throw error(nil, "room", "begin each room with [[room]], in two pairs of brackets")
        }
        var found: [TOMLTable] = []
        for each in array {
            guard let room = each.table else { throw error(nil, "room", "begin each room with [[room]]") }
            found.append(room)
        }
        return found
    }

    private func values(of table: TOMLTable, in room: Int?) throws(RoomError) -> [String: [String]] {
        var result: [String: [String]] = [:]
        for key in table.keys where !(room == nil && key == "room") {
            guard let option = HostOption.all.first(where: { $0.key == key }), let value = table[key] else {
                let near = nearestWord(to: key, among: HostOption.all.map(\.key)).map { "; did you mean \($0)?" } ?? ";"
                throw error(room, key, "there is no key \(shown(key))\(near) roomful config print lists them all")
            }
            result[key] = try texts(value, for: option, in: room)
        }
        return result
    }

    private func texts(
        _ value: any TOMLValueConvertible, for option: HostOption, in room: Int?
    ) throws(RoomError) -> [String] {
        func single(_ value: any TOMLValueConvertible) -> String? {
            if let text = value.string { return text }
            if let number = value.int { return "\(number)" }
            return value.double.map { "\($0)" }
        }
        switch option.kind {
        case .flag:
            guard let isOn = value.bool else { throw error(room, option.key, "\(option.key) takes true or false") }
            return [isOn ? "true" : "false"]
        case .text:
            guard let text = single(value) else {
                throw error(room, option.key, "\(option.key) takes one text or number\(hint(option))")
            }
            return [option.isFile ? place(text) : text]
        case .list:
            let elements = value.array.map { Array($0) } ?? [value]
            var result: [String] = []
            for each in elements {
                guard let text = single(each) else {
                    throw error(room, option.key, "\(option.key) takes texts: [\"one\", \"two\"]\(hint(option))")
                }
                result.append(text)
            }
            return result
        }
    }

    /// A key as it may be printed: a file can hold anything.
    private func shown(_ key: String) -> String {
        String(String.UnicodeScalarView(key.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 }.prefix(40)))
    }

    /// An empty one stays that, and is refused: it would be the folder itself.
    private func place(_ path: String) -> String {
        path.isEmpty || path.hasPrefix("/") ? path : folder + "/" + path
    }

    private func hint(_ option: HostOption) -> String {
        option.choices.isEmpty ? ": \(option.sentence)" : ": \(option.choices.joined(separator: ", "))"
    }

    // MARK: Judging

    /// The command that says the same, judged as that command judges itself.
    private func host(_ values: [String: [String]], _ room: Int?) throws(RoomError) -> Host {
        var arguments: [String] = []
        for option in HostOption.all {
            guard let value = values[option.key], !option.isPositional else { continue }
            arguments += option.arguments(value)
        }
        if let name = values["name"] { arguments += ["--"] + name }
        do {
            var host = try Host.parse(arguments)
            for option in HostOption.all
            where option.isFile && !["code-file", "state", "record", "pseudonyms"].contains(option.key) {
                guard let path = values[option.key]?.first, !FileManager.default.fileExists(atPath: path) else {
                    continue
                }
                throw error(room, option.key, "\(option.key): there is no \(path)")
            }
            try host.recording.keepToFolder()
            // What opening would refuse is refused here already.
            let options = try Host.$makesFiles.withValue(false) { try host.options() }
            if let problem = options.problem { throw RoomError(.badOption, problem) }
            do throws(IdentityError) {
                try options.certificate?.check()
            } catch {
                let isOfKey = host.cert.map { !error.description.contains($0) } ?? false
                throw self.error(room, isOfKey ? "key" : "cert", error.description.replacing("--", with: ""))
            }
            do throws(StorageError) {
                if let file = options.site?.key { _ = try SiteKey(file: file) }
            } catch {
                throw self.error(room, "site-key", error.description)
            }
            _ = try RoomName(host.name)
            do throws(RoomError) {
                _ = try WebPages(playing: host.bundledGame, serving: nil)
            } catch {
                throw self.error(room, "play", error.description)
            }
            _ = try WebPages(playing: nil, serving: host.serve)
            return host
        } catch let problem as RoomError where problem.description.hasPrefix(name + ":") {
            throw problem
        } catch {
            let message =
                (error as? RoomError)?.description ?? (error as? RoomNameError)?.description ?? Host.message(for: error)
            let flag = HostOption.all.map(\.key).filter { message.contains("--\($0)") }.max { $0.count < $1.count }
            let key = flag ?? Self.key(meantBy: message, among: values)
            throw self.error(
                room, key ?? "room", message.replacing("--", with: "").replacing(" <\(key ?? "")>", with: ""))
        }
    }

    /// The key that is written and that a message names in words: `contest cap is …` means `contest-cap`.
    private static func key(meantBy message: String, among values: [String: [String]]) -> String? {
        func words(_ text: String) -> String {
            " " + text.lowercased().split { !$0.isLetter && !$0.isNumber }.joined(separator: " ") + " "
        }
        let said = words(message)
        return values.keys.filter { said.contains(words($0)) }.max { ($0.count, $1) < ($1.count, $0) }
    }

    /// Two rooms cannot have one name, stand at one port, nor write one file.
    private func refuseDoubles() throws(RoomError) {
        for (index, room) in rooms.enumerated() {
            for earlier in rooms[..<index] {
                let (one, other) = (earlier.host, room.host)
                if one.name == other.name, one.state == other.state {
                    throw error(index, "name", "the room of line \(earlier.line) is called \"\(one.name)\" too")
                }
                // Of two tickets in one file the last would be read, and controllers join another room than they meant.
                if let file = one.ticketFile, file == other.ticketFile {
                    throw error(
                        index, "code-file",
                        "the room of line \(earlier.line) writes its ticket to the same file: each needs one of its own"
                    )
                }
                if let metrics = one.metrics, metrics == other.metrics {
                    throw error(
                        index, "metrics", "the room of line \(earlier.line) shows its metrics at \(metrics) too")
                }
            }
        }
        try refuseDoublePorts()
    }

    private func refuseDoublePorts() throws(RoomError) {
        var taken: [(port: WrittenPort, room: Int)] = []
        for (index, room) in rooms.enumerated() {
            for port in room.host.writtenPorts {
                if let other = taken.first(where: { $0.port.isInTheWay(of: port) }) {
                    let whose = other.room == index ? "the same room" : "the room of line \(rooms[other.room].line)"
                    throw error(index, port.key, "\(whose) has \(other.port.words) too")
                }
                taken.append((port, index))
            }
        }
    }

    func error(_ room: Int?, _ key: String, _ text: String) -> RoomError {
        RoomError(.badOption, "\(name):\(lines.line(of: key, in: room)): \(text)")
    }
}

/// Where a room listens, as one of its keys says.
private struct WrittenPort {
    var key: String
    var words: String
    var number: UInt16
    var isTCP = true
    var isUDP = true

    func isInTheWay(of other: WrittenPort) -> Bool {
        number == other.number && (isTCP && other.isTCP || isUDP && other.isUDP)
    }
}

extension Host {
    fileprivate var writtenPorts: [WrittenPort] {
        var ports: [WrittenPort] = []
        if port != 0 { ports.append(WrittenPort(key: "port", words: "port \(port)", number: port)) }
        if let number = UInt16(http) {
            ports.append(WrittenPort(key: "http", words: "HTTP port \(number)", number: number, isUDP: false))
        }
        if let number = legacy {
            ports.append(WrittenPort(key: "legacy", words: "UDP port \(number)", number: number, isTCP: false))
        }
        return ports
    }

    fileprivate var ticketFile: String? { codeFile.map { URL(fileURLWithPath: $0).standardizedFileURL.path } }
}
