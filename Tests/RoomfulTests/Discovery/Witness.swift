import Foundation
import Testing

/// What a program that shares no code with Avahi or with us sees of the rooms nearby: `Scripts/faults/see-rooms.py`, which
/// is python's zeroconf.
struct Witness: Sendable {
    static let python = repositoryPath(".build-venv/bin/python")

    struct Sight: Decodable, Hashable {
        var event: String
        /// Seconds of the machine's monotonic clock.
        var at: Double
        var name: String?
        var subtype: String?
        var port: Int?
        var server: String?
        var addresses: [String]?
        /// In hexadecimal digits, as on the wire.
        var txt: [String]?

        /// The strings of the TXT record.
        var strings: [String] {
            (txt ?? []).map { digits in
                let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { place in
                    UInt8(digits.dropFirst(place).prefix(2), radix: 16)
                }
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    let program: RunningProgram

    /// Looks on from a host; returns once nothing is missed any more.
    static func look(on host: Int, of lan: Lan, subtypes: [String] = []) async throws -> Witness {
        let script = repositoryPath("Scripts/faults/see-rooms.py")
        let program = try lan.start(
            python, [script, "--address", "10.77.0.\(host)"] + subtypes.flatMap { ["--subtype", $0] }, on: host)
        try await program.says("looking")
        return Witness(program: program)
    }

    /// All that it saw so far.
    var sights: [Sight] {
        program.output.split(separator: "\n").compactMap { try? JSONDecoder().decode(Sight.self, from: Data($0.utf8)) }
    }

    /// Waits for the first sight that is as expected.
    func sees(within limit: Duration = patience, _ isMeant: (Sight) -> Bool) async throws -> Sight {
        let deadline = ContinuousClock.now + limit
        while ContinuousClock.now < deadline {
            if let sight = sights.first(where: isMeant) { return sight }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw RunningProgram.Missing(description: "the witness did not see it:\n" + program.output)
    }
}

/// Asks for a room's record ten times a second and notes each silence: `Scripts/faults/ask-room.py`.
struct SilenceWatch: Sendable {
    private struct Answer: Decodable {
        var event: String
        var silence: Double?
        var longest: Double?
    }

    let program: RunningProgram

    static func ask(for room: String, on host: Int, of lan: Lan) async throws -> SilenceWatch {
        let program = try lan.start(
            Witness.python, [repositoryPath("Scripts/faults/ask-room.py"), room, "eth0"], on: host)
        try await program.says("answered")
        return SilenceWatch(program: program)
    }

    /// The silences that are over, in seconds, in order.
    var silences: [Double] { answers.filter { $0.event == "answered" }.compactMap(\.silence).filter { $0 > 0 } }

    /// Waits until so many silences are over.
    func hears(_ count: Int, within limit: Duration = patience) async throws -> [Double] {
        let deadline = ContinuousClock.now + limit
        while silences.count < count, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
        return silences
    }

    /// Ends it; the longest silence between two answers, in seconds.
    func longest() async throws -> Double {
        program.kill(SIGTERM)
        try await program.ended()
        return try #require(answers.last?.longest)
    }

    private var answers: [Answer] {
        program.output.split(separator: "\n").compactMap { try? JSONDecoder().decode(Answer.self, from: Data($0.utf8)) }
    }
}

extension Trait where Self == ConditionTrait {
    /// Namespaces, daemons, and the Python environment of the tests.
    static var needsNeighbours: Self {
        .enabled(
            if: Tools.areDemanded
                || Lan.isPossible && Tools.has("avahi-daemon")
                    && FileManager.default.isExecutableFile(atPath: Witness.python),
            "this needs root, avahi-daemon and .build-venv: Scripts/install-dependencies.sh --tests")
    }
}
