import BenchmarkFigures
import Connections
import Foundation
import Roomful

/// The room in a process of its own, this program once more: so that what the host uses is not what the phones use.
final class RoomProcess: Sendable {
    struct Silent: Error, CustomStringConvertible { let description = "the room's process did not answer" }

    let link: String
    private let process: Process
    private let orders: FileHandle
    private let answers: FileHandle
    private let folder: String

    init(seats: Int) async throws {
        folder = NSTemporaryDirectory() + "roomful-phones-" + UUID().uuidString.prefix(8)
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["host", "\(seats)"]
        process.environment = ProcessInfo.processInfo.environment.merging(["ROOMFUL_STATE": folder]) { $1 }
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        self.process = process
        orders = input.fileHandleForWriting
        answers = output.fileHandleForReading
        guard let first = Self.line(from: output.fileHandleForReading) else { throw Silent() }
        link = first
    }

    var figures: ProcessFigures { ProcessFigures(of: process.processIdentifier) }

    /// Everyone's books, as they stand now.
    func peers() async throws -> [PeerStatus] {
        orders.write(Data("peers\n".utf8))
        guard let line = Self.line(from: answers) else { throw Silent() }
        return try JSONDecoder().decode([PeerStatus].self, from: Data(line.utf8))
    }

    func end() async {
        try? orders.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static func line(from handle: FileHandle) -> String? {
        var bytes: [UInt8] = []
        while let byte = try? handle.read(upToCount: 1), let first = byte.first {
            if first == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(first)
        }
        return nil
    }
}

/// The other side: opens a room, prints its link, and answers each line of its input with everyone's books.
func hostRoom(seats: Int) async throws {
    raiseDescriptorLimit()
    var options = RoomOptions(name: "Phones", seats: seats, policy: .code)
    options.discovery = .none
    options.http = .off
    try await withRoom(options) { room in
        let here = Ticket.Address("127.0.0.1:\(room.port)").map { [$0] } ?? []
        let ticket = try Ticket(
            addresses: here, pin: room.ticket.pin, code: room.ticket.code, room: room.name, roomID: room.ticket.roomID)
        say(ticket.link(at: nil))
        while await order() != nil {
            say(String(decoding: try JSONEncoder().encode(await room.peers()), as: UTF8.self))
        }
    }
}

/// The next line of the input, awaited on a thread that has nothing else to do.
private func order() async -> String? {
    await withCheckedContinuation { continuation in
        Thread { continuation.resume(returning: readLine()) }.start()
    }
}

private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
