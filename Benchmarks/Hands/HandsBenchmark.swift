// From the sample that decides a gesture to the event in a game's hands: a room with 21 players, whom three listeners hear,
// one of them Swift's stream in the room's own process and two WebSockets on this machine.
//
//     HandsBenchmark [SECONDS]      30 unless said otherwise
//
// The players are a process of their own. A button of theirs means a jump: the sample that first shows it decides at once,
// after all that every sample goes through. No datagram is lost here, so nothing is held back. The time begins just before a
// controller is handed that sample, so that its own work and the loopback device are in it.
import BenchmarkFigures
import Foundation
import Roomful
import WireProtocol

@main
struct HandsBenchmark {
    static let players = 21
    static let rounds = 5

    static func main() async {
        do {
            let words = Array(CommandLine.arguments.dropFirst())
            if words.first == "pads", words.count == 4, let seconds = Int(words[2]), let bare = UInt16(words[3]) {
                return try await Pads(Ticket(words[1]), seconds: seconds, bare: bare).play()
            }
            let seconds = words.first.flatMap { Int($0) } ?? 30
            guard words.count < 2, (5...600).contains(seconds) else {
                throw Misuse(description: "use: HandsBenchmark [SECONDS], 5 to 600")
            }
            try await measure(seconds: seconds)
        } catch {
            FileHandle.standardError.write(Data("HandsBenchmark: \(error)\n".utf8))
            exit(2)
        }
    }

    struct Misuse: Error, CustomStringConvertible { let description: String }

    private static func measure(seconds: Int) async throws {
        let folder = NSTemporaryDirectory() + "roomful-hands-" + UUID().uuidString.prefix(8)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        setenv("ROOMFUL_STATE", folder, 1)
        var options = RoomOptions(name: "Hands", seats: players, policy: .open)
        options.discovery = .none
        options.http = .any
        let bare = try BareDatagrams()
        let (presses, heard) = try await withRoom(options) { room in
            let events = await room.events()
            let own = Hearing("Swift's stream")
            async let streaming: Void = own.listen(to: events)
            let sockets = [Hearing("a WebSocket"), Hearing("another WebSocket")]
            for socket in sockets { try await socket.connect(to: room.gameLink) }
            let here = Ticket.Address("127.0.0.1:\(room.port)").map { [$0] } ?? []
            let ticket = try Ticket(
                addresses: here, pin: room.ticket.pin, code: nil, room: room.name, roomID: room.ticket.roomID)
            let presses = try await Pads.process(ticket.link(at: nil), seconds: seconds, bare: bare.port)
            // What was told is on its way still.
            try await Task.sleep(for: .milliseconds(300))
            room.stop()
            await streaming
            return (presses, [own] + sockets)
        }
        try report(presses, heard, bare)
    }

    private static func report(
        _ presses: [PlayerNumber: [Int64]], _ heard: [Hearing], _ bare: BareDatagrams
    ) throws {
        let least = bare.delays(in: Self.rounds)
        guard least.allSatisfy({ !$0.isEmpty }) else { throw Misuse(description: "too few bare datagrams came") }
        let (leastMiddle, leastLate) = (least.map { percentile($0, 0.5) }, least.map { percentile($0, 0.99) })
        print("\(players) players, \(presses.values.reduce(0) { $0 + $1.count }) presses, \(heard.count) listeners")
        print(
            "  a bare datagram from the same threads, to one that waits: p50 \(text(median(leastMiddle))) ms, "
                + "p99 \(text(median(leastLate))) ms")
        for (place, hearing) in heard.enumerated() {
            let delays = try hearing.delays(of: presses, in: Self.rounds)
            let (middle, late) = (delays.map { percentile($0, 0.5) }, delays.map { percentile($0, 0.99) })
            print(
                "  \(hearing.name): p50 \(text(median(middle))) ms, p99 \(text(median(late))) ms, "
                    + "at most \(text(delays.joined().max() ?? 0)) ms")
            guard place < 2 else { continue }
            let name = place == 0 ? "stream" : "websocket"
            try Figure("hands-\(name)-p50", in: "ms", middle, beside: leastMiddle).keep()
            try Figure("hands-\(name)-p99", in: "ms", late, beside: leastLate).keep()
        }
    }

    private static func percentile(_ values: [Double], _ part: Double) -> Double {
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }

    private static func text(_ value: Double) -> String { String(format: "%.2f", value) }
}
