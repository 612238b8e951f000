import Foundation
import Synchronization
import WireProtocol

@testable import Roomful

/// A relay as users start it: `roomful lab relay`, in a process of its own.
final class RelayProcess {
    struct Failed: Error, CustomStringConvertible { let description: String }

    /// The relay's report, as far as proofs need it.
    struct Report: Decodable {
        struct Connection: Decodable {
            var connection: UInt32
            var sent, lost, delivered, corrupted: [UInt32]
            var duplicated: Int
        }

        var connections: [Connection]
        var unreadable, turnedAway, unsent: Int
        var kernelDrops: Int?
    }

    /// Where it takes datagrams.
    let address: PeerAddress
    private let process = Process()
    private let file: String

    /// Returns when it listens.
    init(to port: UInt16, network: String, seed: UInt64, in folder: String) throws {
        file = folder + "/fates.json"
        // The program lies beside the bundle of tests, built with it.
        let tests = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        process.executableURL = tests.deletingLastPathComponent().appendingPathComponent("roomful")
        process.arguments = [
            "lab", "relay", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:\(port)", "--network", network,
            "--seed", "\(seed)", "--report", file,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n"), let byte = try output.fileHandleForReading.read(upToCount: 1) {
            line += byte
        }
        let text = String(decoding: line, as: UTF8.self)
        guard let word = text.split(separator: ",").first?.split(separator: " ").last,
            let address = PeerAddress(String(word))
        else {
            process.terminate()
            throw Failed(description: "the relay did not start: \(text)")
        }
        self.address = address
    }

    deinit { if process.isRunning { process.terminate() } }

    /// Ends it, and returns what it did.
    func stop() async throws -> Report {
        let hasEnded = Watched(false)
        process.terminationHandler = { _ in hasEnded.change { $0 = true } }
        process.terminate()
        guard await hasEnded.first(within: .seconds(10), where: { $0 }) != nil, process.terminationStatus == 0 else {
            throw Failed(description: "the relay did not end as it should")
        }
        return try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
    }
}
