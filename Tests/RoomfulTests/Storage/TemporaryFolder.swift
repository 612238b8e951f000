import Foundation

@testable import Identity
@testable import PrivateFiles
@testable import Roomful

/// A fresh folder (0700) for one test, gone with the last reference to it.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        let id = String(UInt64.random(in: .min ... .max), radix: 36)
        path = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path + "/roomful-test-\(id)"
        precondition(mkdir(path, 0o700) == 0, "a test can make a folder in \(NSTemporaryDirectory())")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var folder: PrivateFolder {
        get throws { try PrivateFolder(path: path) }
    }

    /// Writes a file as some other program might.
    func plant(_ name: String, _ content: String, mode: mode_t = 0o600) throws {
        try plant(name, bytes: Array(content.utf8), mode: mode)
    }

    func plant(_ name: String, bytes: [UInt8], mode: mode_t = 0o600) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
        chmod(path + "/" + name, mode)
    }

    func content(_ name: String) -> String? {
        FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
    }

    func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}

/// The error that `body` throws, if it is of this type.
func failure<Failure: Error, Value>(_: Failure.Type = Failure.self, _ body: () throws -> Value) -> Failure? {
    do {
        _ = try body()
        return nil
    } catch { return error as? Failure }
}
