import Foundation
package import PrivateFiles
import WireProtocol

/// Known hosts as text and as a file.
extension KnownHosts {
    package static let fileName = "known_hosts"
    /// The longest file that is read: about 10,000 rooms.
    private static let longestFile = 2 << 20

    /// Reads the text of a file. Of two lines for the same room the first counts.
    package init(text: String) {
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            Entry(line: line).map(Line.entry) ?? .other(String(line))
        }
        if lines.last == .other("") { lines.removeLast() }
    }

    /// The text of the file, each line ended.
    package var text: String {
        lines.map { line in
            switch line {
            case .entry(let entry): entry.line + "\n"
            case .other(let line): line + "\n"
            }
        }.joined()
    }

    /// The rooms known in this state folder; none if there is no file yet.
    package static func load(from folder: PrivateFolder) throws(StorageError) -> KnownHosts {
        let bytes = try folder.read(fileName, limit: longestFile, isSecret: false) ?? []
        return KnownHosts(text: String(decoding: bytes, as: UTF8.self))
    }

    /// Changes the file, at once or not at all; two controllers of one user wait for each other.
    ///
    /// `change` sees what is there now, not what was loaded some time ago, and may be asked twice. Where it changes
    /// nothing, nothing is written, not even the lock: the disk may be one that cannot be.
    package static func update(
        in folder: PrivateFolder, _ change: (inout KnownHosts) -> Void
    ) throws(StorageError) {
        let found = try load(from: folder)
        var wanted = found
        change(&wanted)
        guard wanted != found else { return }
        try folder.withLock(".\(fileName).lock") { () throws(StorageError) in
            let before = try load(from: folder)
            var hosts = before
            change(&hosts)
            guard hosts != before else { return }
            try folder.replace(fileName, with: hosts.text)
        }
    }
}

extension KnownHosts.Entry {
    /// `nil` unless the line has the five columns, each as it should be.
    fileprivate init?(line: some StringProtocol) {
        let columns = line.split(separator: " ", omittingEmptySubsequences: true)
        guard columns.count == 5, let roomID = RoomID(String(columns[0])), let pin = Pin(String(columns[1])),
            let name = percentDecoded(columns[2]),
            let firstSeen = try? Date(String(columns[3]), strategy: .iso8601),
            let lastAddress = percentDecoded(columns[4])
        else { return nil }
        self.init(roomID: roomID, pin: pin, name: name, firstSeen: firstSeen, lastAddress: lastAddress)
    }

    fileprivate var line: String {
        "\(roomID) \(pin) \(column(name)) \(firstSeen.formatted(.iso8601)) \(column(lastAddress))"
    }
}

/// Readable for people, yet one column: what is not printable ASCII and the percent sign are encoded.
private func column(_ text: String) -> String {
    percentEncoded(text.isEmpty ? "-" : text) { byte in
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
    }
}
