import Foundation
import PrivateFiles
import Testing

@testable import SiteSuccession

@Suite("A site's key")
struct SiteKeyTests {
    private func file(_ text: String, mode: Int = 0o600) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "site-\(UInt64.random(in: 0 ... .max)).key")
            .path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    @Test("What one host seals, another opens that was given the same file")
    func sameFile() throws {
        let path = try file(SiteKey.random().text + "\n")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let (one, two) = (try SiteKey(file: path), try SiteKey(file: path))
        let sealed = try #require(one.seal([1, 2, 3], room: "a"))
        #expect(two.open(sealed, room: "a") == [1, 2, 3])
        #expect(sealed.count == 3 + SiteKey.overhead)
    }

    @Test("Twice the same is never sealed alike, and no bit of it can be another")
    func changed() throws {
        let key = SiteKey.random()
        let sealed = try #require(key.seal([1, 2, 3], room: "a"))
        #expect(key.seal([1, 2, 3], room: "a") != sealed)
        for place in sealed.indices {
            var other = sealed
            other[place] ^= 1
            #expect(key.open(other, room: "a") == nil)
        }
        for count in 0..<sealed.count { #expect(key.open(Array(sealed.prefix(count)), room: "a") == nil) }
    }

    @Test(
        "A file that is no key is refused in a sentence", arguments: ["", "secret", String(repeating: "a", count: 63)])
    func noKey(_ text: String) throws {
        let path = try file(text)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let error = #expect(throws: StorageError.self) { _ = try SiteKey(file: path) }
        #expect(error?.description.contains("holds no site's key") == true)
    }

    @Test("A key that other users may read is refused, and said how to mend it")
    func openToOthers() throws {
        let path = try file(SiteKey.random().text, mode: 0o644)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let error = #expect(throws: StorageError.self) { _ = try SiteKey(file: path) }
        #expect(error?.code == .openToOthers && error?.description.contains("chmod 600") == true)
    }
}
