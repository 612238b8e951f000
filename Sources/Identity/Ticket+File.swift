import Foundation
public import PrivateFiles

/// A ticket as a file that is handed from a host to a controller.
extension Ticket {
    /// Writes the ticket as text, at once or not at all, readable for its owner only (0600).
    ///
    /// A symbolic link at `path` is replaced, not followed.
    ///
    /// - Throws: ``StorageError`` naming what refused.
    public func write(to path: String) throws(StorageError) {
        try PrivateFile.write(text, to: path)
    }

    /// Reads a ticket from a file or a pipe.
    ///
    /// - Throws: ``StorageError`` if it cannot be read, ``IdentityError`` if it is no ticket, or longer than one.
    public init(contentsOf path: String) throws {
        let file = try openNamed(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        let bytes: [UInt8]
        do throws(StorageError) {
            bytes = try file.readAll(limit: Ticket.longest, path: path)
        } catch {
            guard error.code == .tooLarge else { throw error }
            throw IdentityError.malformedTicket("it is longer than \(Ticket.longest) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw IdentityError.malformedTicket("it is not text")
        }
        try self.init(text)
    }
}
