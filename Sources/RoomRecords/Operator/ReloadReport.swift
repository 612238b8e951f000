/// What became of a configuration that was read anew, key by key.
package struct ReloadReport: Hashable, Sendable, Codable {
    /// One key whose value is another now.
    package struct Key: Hashable, Sendable, Codable {
        package var key: String
        /// As it was written, or is where nothing is written; `nil` where nothing is.
        package var from: String?
        package var to: String?
        /// Whether the room goes by it from now on.
        package var isTaken: Bool
        /// Why it does not, or what of it holds; `nil` where there is nothing to say.
        package var note: String?

        package init(key: String, from: String?, to: String?, isTaken: Bool, note: String? = nil) {
            self.key = key
            self.from = from
            self.to = to
            self.isTaken = isTaken
            self.note = note
        }
    }

    /// One room of the file, or of the program.
    package struct Room: Hashable, Sendable, Codable {
        package var name: String
        /// In the order of the file's own list of keys; empty where nothing has changed.
        package var keys: [Key]
        /// What is to be said of the room as a whole: that it is new, or not written down any more.
        package var note: String?

        package init(name: String, keys: [Key] = [], note: String? = nil) {
            self.name = name
            self.keys = keys
            self.note = note
        }
    }

    /// The file, as the program calls it.
    package var file: String
    package var rooms: [Room]

    package init(file: String, rooms: [Room]) {
        self.file = file
        self.rooms = rooms
    }
}
