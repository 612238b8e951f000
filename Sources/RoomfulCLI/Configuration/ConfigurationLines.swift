/// Where in a configuration file its keys stand, so that an error can name the line.
///
/// TOML's own reader tells no places of what it has understood. This one only looks for `key =` at the beginning of a
/// line, and skips texts of several lines.
struct ConfigurationLines {
    private struct Place: Hashable { var room: Int?; var key: String }
    private var places: [Place: Int] = [:]
    /// The line of each `[[room]]`.
    private(set) var rooms: [Int] = []

    init(_ text: String) {
        var isInside: Substring?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let fences = ["\"\"\"", "'''"].map { Substring($0) }
            if let fence = isInside {
                if line.contains(fence) { isInside = nil }
                continue
            }
            let trimmed = line.drop { $0 == " " || $0 == "\t" }
            if trimmed.hasPrefix("[[") {
                rooms.append(index + 1)
            } else if !trimmed.hasPrefix("#"), let equals = trimmed.firstIndex(of: "=") {
                let key = trimmed[..<equals].filter { !" \t\"'".contains($0) }
                places[Place(room: rooms.isEmpty ? nil : rooms.count - 1, key: key)] = index + 1
                let value = trimmed[equals...]
                isInside = fences.first { fence in
                    value.split(separator: fence, omittingEmptySubsequences: false).count == 2
                }
            }
        }
    }

    /// - Parameter room: the room's number in the file from 0; `nil` for what stands before the first.
    /// - Returns: the key's line, from 1; the room's own where the key is not written there.
    func line(of key: String, in room: Int?) -> Int {
        places[Place(room: room, key: key)] ?? places[Place(room: nil, key: key)]
            ?? room.flatMap { rooms.indices.contains($0) ? rooms[$0] : nil } ?? 1
    }
}
