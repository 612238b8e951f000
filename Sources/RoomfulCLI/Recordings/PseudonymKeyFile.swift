import Foundation
import Identity
import PrivateFiles
import Roomful
import WireProtocol

/// The key of a study's labels, in a file: whoever has it can tell which label is whose.
enum PseudonymKeyFile {
    private static let length = 32

    /// The key; a file that is missing is made, for its owner alone, unless files are not to be made.
    static func read(_ path: String) throws -> [UInt8] {
        guard FileManager.default.fileExists(atPath: path) else {
            return Host.makesFiles ? try make(path) : [UInt8](repeating: 0, count: length)
        }
        // Whose it is, and what it holds, is asked of one and the same file.
        let file = try openHandedIn(path)
        guard try file.facts(path: path).permissions & 0o077 == 0 else {
            throw RoomError(
                .badOption,
                "others may read the key \(path), and with it whose label is whose; run: chmod 600 \(shellWord(path))")
        }
        let digits = (try? file.readAll(limit: 4_096, path: path)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard let key = Hexadecimal.decode(digits.trimmingCharacters(in: .whitespacesAndNewlines)), key.count >= length
        else {
            throw RoomError(
                .badOption,
                "\(path) is no key: it holds \(2 * length) hexadecimal digits; a new file is made where none is")
        }
        return key
    }

    private static func make(_ path: String) throws -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        let key = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        do {
            try PrivateFile.write(Hexadecimal.encode(key) + "\n", to: path)
        } catch {
            throw RoomError(.badOption, "cannot make the key \(path): \(error)")
        }
        Failure.say(
            "made a new key in \(path): keep it apart from the recordings; without it no label leads to anybody")
        return key
    }
}
