import Foundation
import NIOCore
import Synchronization
import Testing

@testable import Roomful
@testable import WebFront

@Suite("Files on their way to browsers")
struct FileTransferTests {
    @Test(
        "However many ask and read nothing, a bounded number of regions is under way, and who waits longest gives way")
    func bound() {
        let transfers = FileTransfers(most: 4)
        let gone = Mutex<[Int]>([])
        var ids: [UInt64] = []
        for reader in 0..<10 {
            ids.append(transfers.begin { gone.withLock { $0.append(reader) } })
            #expect(transfers.underWay <= 4)
        }
        #expect(gone.withLock { $0 } == [0, 1, 2, 3, 4, 5])
        for id in ids { transfers.end(id) }
        #expect(transfers.underWay == 0)
    }

    @Test("A file is known by its tag without being read, and read in regions; one that was changed has another tag")
    func regions() throws {
        let house = try TestHouse()
        defer { house.remove() }
        let (path, size) = (house.folder + "/big", 3 * WebFile.region + 17)
        let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 / 251) })
        try content.write(to: URL(fileURLWithPath: path))
        let file = try #require(WebFile(path, below: house.folder))
        #expect(file.size == size && file.tag == WebFile(path, below: house.folder)?.tag)
        var read = Data()
        while read.count < size {
            let region = file.read(from: read.count)
            #expect(region.readableBytes <= WebFile.region)
            read.append(contentsOf: region.readableBytesView)
        }
        #expect(read == content && file.read(from: size).readableBytes == 0)
        try content.dropLast().write(to: URL(fileURLWithPath: path))
        #expect(WebFile(path, below: house.folder)?.tag != file.tag)
        // It has become shorter than it was said to be: it ends, and nothing else is sent in its place.
        truncate(path, 5)
        #expect(WebFile(path, below: house.folder)?.size == 5)
        mkfifo(house.folder + "/pipe", 0o600)
        #expect(WebFile(house.folder + "/pipe", below: house.folder) == nil)
    }
    @Test("Whoever may write in the folder gets no file from outside of it, however fast they exchange its parts")
    func exchangedFolder() throws {
        let house = try TestHouse()
        defer { house.remove() }
        let (root, secrets) = (house.folder + "/game", house.folder + "/secrets")
        for (folder, content) in [(root + "/levels", "harmless"), (secrets, "secret")] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try content.write(toFile: folder + "/one", atomically: true, encoding: .utf8)
        }
        #expect(symlink("levels/one", root + "/inside") == 0 && symlink(secrets + "/one", root + "/outside") == 0)
        #expect(WebFile(root + "/inside", below: root) != nil && WebFile(root + "/outside", below: root) == nil)

        let isOver = Mutex(false)
        let ended = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while !isOver.withLock({ $0 }) {
                symlink(secrets, root + "/link")
                rename(root + "/levels", root + "/aside")
                rename(root + "/link", root + "/levels")
                unlink(root + "/levels")
                rename(root + "/aside", root + "/levels")
            }
            ended.signal()
        }
        defer {
            isOver.withLock { $0 = true }
            ended.wait()
        }
        var seen: Set<String> = []
        let deadline = ContinuousClock.now + .seconds(1)
        while ContinuousClock.now < deadline {
            guard let file = WebFile(root + "/levels/one", below: root) else { continue }
            seen.insert(String(buffer: file.read(from: 0)))
        }
        #expect(seen == ["harmless"])
    }
}
