import Foundation
import Roomful
import WireProtocol

/// The players: controllers in a process of their own, each at 100 samples a second, with a button that means a jump.
struct Pads {
    private static let period = 10_000_000  // Nanoseconds between two samples.
    private static let pressEvery = 40
    private static let pressFor = 5

    private let ticket: Ticket
    private let seconds: Int
    /// Where bare datagrams go.
    private let bare: UInt16

    init(_ ticket: Ticket, seconds: Int, bare: UInt16) {
        (self.ticket, self.seconds, self.bare) = (ticket, seconds, bare)
    }

    /// Lets this program play once more, as the players; when each pressed, by player, in nanoseconds of the machine's clock.
    static func process(_ ticket: String, seconds: Int, bare: UInt16) async throws -> [PlayerNumber: [Int64]] {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["pads", ticket, "\(seconds)", "\(bare)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: output.fileHandleForReading.readDataToEndOfFile()) }.start()
        }
        process.waitUntilExit()
        return try JSONDecoder().decode([PlayerNumber: [Int64]].self, from: said)
    }

    /// Joins all, plays, and says when each pressed.
    func play() async throws {
        let presses = try await withThrowingTaskGroup(of: (PlayerNumber, [Int64]).self) { group in
            for place in 0..<HandsBenchmark.players { group.addTask { try await play(place) } }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        FileHandle.standardOutput.write(try JSONEncoder().encode(presses))
    }

    private func play(_ place: Int) async throws -> (PlayerNumber, [Int64]) {
        let declaration = StreamDeclaration(
            measures: [.acceleration, .rotationRate, .buttons], buttonGestures: ["jump"])
        let options = ControllerOptions(name: "Pad \(place)", streams: [declaration])
        let bare = try BareDatagrams.Sender(to: bare)
        return try await withController(options, joining: .ticket(ticket)) { controller in
            let presses = await withCheckedContinuation { continuation in
                Thread { continuation.resume(returning: work(controller, place, bare)) }.start()
            }
            _ = await controller.settle(within: .seconds(2))
            return (controller.seat.player, presses)
        }
    }

    /// On a thread of its own, as a sensor has its own clock.
    private func work(_ controller: Controller, _ place: Int, _ bare: BareDatagrams.Sender) -> [Int64] {
        var presses: [Int64] = []
        // The clocks are measured first; and no two pads measure at the same moment.
        let start = Controller.deviceTimeNow() + .milliseconds(500) + .microseconds(477 * place)
        for tick in 0..<seconds * 100 {
            let due = start + .nanoseconds(tick * Self.period)
            let wait = (due - Controller.deviceTimeNow()) / .seconds(1)
            if wait > 0 { Thread.sleep(forTimeInterval: wait) }
            let phase = (tick + place * 7) % Self.pressEvery
            let isPressed = tick > 100 && phase < Self.pressFor
            if tick > 100, phase == Self.pressEvery / 2 { bare.send() }
            let now = Controller.deviceTimeNow()
            let sway = Float(tick % 50) / 500
            let sample = Sample(
                sampledAt: now, measures: [.acceleration, .rotationRate, .buttons],
                acceleration: SIMD3(sway, 0, 9.81), rotationRate: SIMD3(sway, -sway, 0), buttons: isPressed ? 1 : 0)
            // A press that began before the first one that counts is told, too.
            if isPressed, phase == 0 || presses.isEmpty { presses.append(now.nanoseconds) }
            controller.send(sample)
        }
        return presses
    }
}
