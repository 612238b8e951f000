import Foundation
import Roomful
import WireProtocol

/// A relay in a process of its own: `roomful lab relay`, started by the program that runs.
final class RelayProcess {
    struct Failed: Error, CustomStringConvertible { let description: String }

    /// Where it takes datagrams.
    let address: PeerAddress
    private let process: Process
    private let folder: String
    private let input: Pipe
    private let ended: AsyncStream<Void>

    /// Returns when it listens.
    ///
    /// - Parameter program: the path of `roomful`.
    init(program: String, to host: PeerAddress, network: String, seed: UInt64) throws {
        folder = NSTemporaryDirectory() + "roomful-fleet-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            "lab", "relay", "--listen", host.ipv4 != nil ? "127.0.0.1:0" : "[::1]:0", "--to", host.description,
            "--network", network, "--seed", "\(seed)", "--report", folder + "/sums.json", "--fates",
            folder + "/fates", "--while-input",
        ]
        let output = Pipe()
        input = Pipe()
        process.standardOutput = output
        process.standardInput = input
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        ended = stream
        process.terminationHandler = { _ in continuation.finish() }
        do {
            try process.run()
            address = try Self.address(saidTo: output)
        } catch {
            if process.isRunning { process.terminate() }
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
    }

    deinit {
        if process.isRunning { process.terminate() }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Ends it, and returns what it did.
    func stop() async throws -> (sums: RelayReport, fates: [UInt32: Fates]) {
        process.terminate()
        for await _ in ended {}
        guard process.terminationStatus == 0 else { throw Failed(description: "the relay did not end as it should") }
        let sums = try JSONDecoder().decode(
            RelayReport.self, from: Data(contentsOf: URL(fileURLWithPath: folder + "/sums.json")))
        return (sums, try Fates.read(path: folder + "/fates"))
    }

    private static func address(saidTo output: Pipe) throws -> PeerAddress {
        var line = Data()
        while line.last != UInt8(ascii: "\n"), let byte = try output.fileHandleForReading.read(upToCount: 1) {
            line += byte
        }
        let text = String(decoding: line, as: UTF8.self)
        guard let word = text.split(separator: ",").first?.split(separator: " ").last,
            let address = PeerAddress(String(word))
        else { throw Failed(description: "the relay did not start: \(text)") }
        return address
    }
}
