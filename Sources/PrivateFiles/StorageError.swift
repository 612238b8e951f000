import Foundation

/// Why something could not be kept on this machine's disk or read from it, in a sentence that says what to do.
public struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, for programs; more may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// Neither an option nor the environment says where to keep anything.
        public static let noPlace = Code("noPlace")
        /// Something else stands where a folder or a file belongs.
        public static let wrongKind = Code("wrongKind")
        /// A symbolic link stands where we keep something ourselves: it is never followed.
        public static let symbolicLink = Code("symbolicLink")
        /// The folder or the file belongs to another user.
        public static let notOwned = Code("notOwned")
        /// Other users may write, or may read what is secret.
        public static let openToOthers = Code("openToOthers")
        /// Another host has this room's folder.
        public static let roomInUse = Code("roomInUse")
        /// The path of a Unix socket is longer than the system allows.
        public static let pathTooLong = Code("pathTooLong")
        /// The file is longer than anything we ever write there.
        public static let tooLarge = Code("tooLarge")
        /// No space is left, or a quota is used up.
        public static let diskFull = Code("diskFull")
        /// The file was written by a newer version.
        public static let newerVersion = Code("newerVersion")
        /// The system refused to read.
        public static let unreadable = Code("unreadable")
        /// The system refused to write.
        public static let unwritable = Code("unwritable")
    }

    /// What went wrong, for programs.
    public let code: Code
    /// The file or folder in question; empty when there is none.
    public let path: String
    /// One line for people: what is wrong, where, and what to do.
    public let description: String

    package init(_ code: Code, path: String, _ description: String) {
        self.code = code
        self.path = path
        self.description = description
    }

    /// The system refused `attempt` ("read", "write", "lock") on `path` with the error number `number`.
    package init(refused attempt: String, path: String, number: Int32) {
        let reason = String(cString: strerror(number))
        switch number {
        case ENOSPC, EDQUOT, EFBIG:
            self.init(.diskFull, path: path, "cannot \(attempt) \(path): \(reason); \(Self.noRoom.inStateFolder)")
        case ELOOP:
            self.init(.symbolicLink, path: path, "\(path) is a symbolic link, which is never followed; remove it")
        case EROFS, EACCES, EPERM:
            let code: Code = attempt == "read" ? .unreadable : .unwritable
            self.init(code, path: path, "cannot \(attempt) \(path): \(reason); \(Self.notAllowed.inStateFolder)")
        default:
            let code: Code = attempt == "read" ? .unreadable : .unwritable
            self.init(code, path: path, "cannot \(attempt) \(path): \(reason)")
        }
    }

    // What to do, where we chose the path and where somebody else did.
    private static let noRoom = (
        inStateFolder: "make room there or use --state", elsewhere: "make room there or name another file"
    )
    private static let notAllowed = (
        inStateFolder: "use --state with a folder of your own", elsewhere: "name another file"
    )

    /// What is wrong and where, without what to do, for whoever knows that better.
    package var complaint: String {
        for remedy in [Self.noRoom, Self.notAllowed] where description.hasSuffix("; " + remedy.inStateFolder) {
            return String(description.dropLast(remedy.inStateFolder.count + 2))
        }
        return description
    }

    /// The same of a file that somebody named: there no other state folder helps, and many a command knows none.
    package var ofNamedFile: StorageError {
        for remedy in [Self.noRoom, Self.notAllowed] where description.hasSuffix(remedy.inStateFolder) {
            let problem = String(description.dropLast(remedy.inStateFolder.count))
            return StorageError(code, path: path, problem + remedy.elsewhere)
        }
        return self
    }
}
