import Foundation
import WireProtocol

@testable import QRCode

/// What other people's programs make of a code, or make themselves: Debian's `qrencode`, `zbarimg`, `rsvg-convert`.
enum Oracles {
    /// Whether it is there, or must be: nothing stands aside in `make test`, nor where `CI` is set.
    static func has(_ program: String) -> Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["ROOMFUL_REQUIRE_AVAHI"] == "1" || !["", "0", "false"].contains(environment["CI"] ?? "")
            || FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
    }

    /// What the program prints when it reads `input`.
    static func run(_ program: String, _ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
        let folder = NSTemporaryDirectory() + "roomful-oracle-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(input).write(to: URL(fileURLWithPath: folder + "/input"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
        process.arguments = arguments
        process.standardInput = FileHandle(forReadingAtPath: folder + "/input")
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Array(bytes)
    }

    /// The bytes that a camera's software reads in a picture (PGM or PNG); empty if it finds no code.
    static func read(_ picture: [UInt8]) throws -> [UInt8] {
        try run(
            "zbarimg", ["--quiet", "--raw", "--oneshot", "-Sdisable", "-Sqrcode.enable", "-Sbinary", "-"],
            input: picture)
    }

    /// qrencode's code for the same bytes, rows of modules.
    static func encode(_ bytes: [UInt8], version: Int, _ correction: QRSymbol.Correction) throws -> [[Bool]] {
        let level = correction == .low ? "L" : "M"
        let text = try run(
            "qrencode", ["-8", "-l", level, "-v", "\(version)", "-t", "ASCII", "-m", "0", "-o", "-"], input: bytes)
        return text.split(separator: UInt8(ascii: "\n")).map { line in
            stride(from: 0, to: line.count, by: 2).map { line[line.startIndex + $0] == UInt8(ascii: "#") }
        }
    }
}

/// A picture in PGM, from what is dark in it.
func picture(width: Int, height: Int, scale: Int = 4, isDark: (Int, Int) -> Bool) -> [UInt8] {
    var bytes = Array("P5\n\(width * scale) \(height * scale)\n255\n".utf8)
    for y in 0..<(height * scale) {
        for x in 0..<(width * scale) { bytes.append(isDark(x / scale, y / scale) ? 0 : 255) }
    }
    return bytes
}

extension QRSymbol {
    var picture: [UInt8] {
        QRCodeTests.picture(width: size + 8, height: size + 8) { isDark($0 - 4, $1 - 4) }
    }
}

extension SplitMix64 {
    /// Letters, digits and what URLs hold.
    mutating func text(_ count: Int) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~:/#&=%".utf8)
        return (0..<count).map { _ in alphabet[Int.random(in: alphabet.indices, using: &self)] }
    }
}
