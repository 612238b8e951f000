import Foundation
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Identity
@testable import PrivateFiles
@testable import Roomful

@Suite("What a controller remembers")
struct ControllerMemoryTests {
    let temporary = TemporaryFolder()
    private var state: StateFolder { get throws { try StateFolder(temporary.path) } }
    private let secret = String(repeating: "4a", count: 32)

    private func room(_ number: UInt8) throws -> RoomID {
        try #require(RoomID(bytes: [UInt8](repeating: number, count: 16)))
    }

    @Test("A controller is the same one each time its program runs, and another under another name")
    func identity() throws {
        let first = try ControllerMemory.open("Blue", in: state)
        #expect(try ControllerMemory.open("Blue", in: state) == first)
        #expect(try ControllerMemory.open("Red", in: state).id != first.id)
    }

    @Test("The secret of a seat outlives the program, in a file that nobody else can read")
    func secrets() throws {
        let room = try room(1)
        try ControllerMemory.update("Blue", in: state) { $0.remember(secret, for: room) }
        #expect(try ControllerMemory.open("Blue", in: state).secret(for: room) == secret)
        let file = roomFolderName("Blue")
        #expect(try temporary.mode("controllers/" + file) == 0o600)
    }

    @Test("Two programs of one controller do not undo each other's seats")
    func together() throws {
        _ = try ControllerMemory.open("Blue", in: state)
        for number: UInt8 in [1, 2] {
            let room = try room(number)
            try ControllerMemory.update("Blue", in: state) { $0.remember(secret, for: room) }
        }
        let memory = try ControllerMemory.open("Blue", in: state)
        #expect(try memory.secret(for: room(1)) == secret)
        #expect(try memory.secret(for: room(2)) == secret)
    }

    @Test("The secret before is kept beside the last, outlives the program, and is the last again where a host took it")
    func earlierSecrets() throws {
        let (room, other) = (try room(1), try room(2))
        let secrets = (1...3).map { String(repeating: "0\($0)", count: 32) }
        for secret in secrets + secrets.suffix(1) {
            try ControllerMemory.update("Blue", in: state) { $0.remember(secret, for: room) }
        }
        try ControllerMemory.update("Blue", in: state) { $0.remember(secret, for: other) }
        var memory = try ControllerMemory.open("Blue", in: state)
        #expect(memory.secret(for: room) == secrets[2] && memory.earlierSecret(for: room) == secrets[1])
        #expect(memory.earlierSecret(for: other) == nil)
        memory.fallBack(in: room)
        #expect(memory.secret(for: room) == secrets[1] && memory.earlierSecret(for: room) == nil)
        // The host gave a new one for it: what it took is the one before.
        memory.remember(secret, for: room)
        #expect(memory.secret(for: room) == secret && memory.earlierSecret(for: room) == secrets[1])
        memory.forget(room)
        #expect(memory.secret(for: room) == nil && memory.earlierSecret(for: room) == nil)
    }

    @Test("Of more rooms than fit, the one not joined for longest is forgotten")
    func bounded() throws {
        var memory = ControllerMemory.random()
        for number in 0..<UInt8(ControllerMemory.mostSeats) { memory.remember(secret, for: try room(number)) }
        memory.remember(secret, for: try room(0))
        memory.remember(secret, for: try room(200))
        #expect(memory.seats.count == ControllerMemory.mostSeats)
        #expect(try memory.secret(for: room(0)) != nil)
        #expect(try memory.secret(for: room(1)) == nil)
    }

    @Test("A file that makes no sense is a controller that never was; a broken line is no seat")
    func brokenFile() throws {
        #expect(ControllerMemory(text: "") == nil)
        #expect(ControllerMemory(text: "roomful-controller 2\nid 0f0e0d0c0b0a09080706050403020100") == nil)
        #expect(ControllerMemory(text: "roomful-controller 1\nid 0f0e") == nil)
        let memory = try #require(
            ControllerMemory(
                text:
                    "roomful-controller 1\nid 0f0e0d0c0b0a09080706050403020100\nseat zz \(secret)\nseat \(room(1)) 12\n"
            ))
        #expect(memory.seats.isEmpty)
        #expect(ControllerMemory(text: memory.text) == memory)
    }

    @Test("A newer version's file is refused and left alone, whatever there is to be changed")
    func newer() throws {
        let file = "controllers/" + roomFolderName("Blue")
        let first = try ControllerMemory.open("Blue", in: state)
        let later = first.text.replacing("roomful-controller 1", with: "roomful-controller 2") + "volume 3\n"
        try temporary.plant(file, later)
        let room = try room(1)
        let errors = [
            failure(StorageError.self) { try ControllerMemory.open("Blue", in: state) },
            failure(StorageError.self) {
                try ControllerMemory.update("Blue", in: state) { $0.remember(secret, for: room) }
            },
        ]
        #expect(errors.compactMap { $0?.code } == [.newerVersion, .newerVersion])
        #expect(errors[0]?.description.contains("update it or use --state") == true)
        #expect(temporary.content(file) == later)
        #expect(try asides().isEmpty)
    }

    @Test("A file that was damaged is put aside, which is told once, and the controller is a new one")
    func damaged() throws {
        let file = "controllers/" + roomFolderName("Blue")
        let first = try ControllerMemory.open("Blue", in: state)
        try temporary.plant(file, "x" + first.text)
        var told: [String] = []
        let second = try ControllerMemory.open("Blue", in: state) { told.append($0) }
        let third = try ControllerMemory.open("Blue", in: state) { told.append($0) }
        #expect(second.id != first.id && third == second)
        let aside = try #require(try asides().first)
        #expect(temporary.content("controllers/" + aside) == "x" + first.text)
        #expect(told.count == 1 && told.allSatisfy { $0.contains("was broken") && $0.hasSuffix(aside) })
    }

    private func asides() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: temporary.path + "/controllers")
            .filter { $0.contains(".broken-") }
    }

    @Test("A secret that others may read already is refused, with what to do")
    func openToOthers() throws {
        _ = try ControllerMemory.open("Blue", in: state)
        try temporary.plant("controllers/" + roomFolderName("Blue"), "roomful-controller 1\n", mode: 0o644)
        let error = failure(StorageError.self) { try ControllerMemory.open("Blue", in: state) }
        #expect(error?.code == .openToOthers)
        #expect(error?.description.contains("chmod 600") == true)
    }
}
