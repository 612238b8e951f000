// What joining costs where the room is known: the TLS handshake alone, one controller alone, and a crowd at once. Each seat
// is answered only when its lease has been written to disk.
//
//     JoiningBenchmark TICKET-FILE [CROWD]      at a room with seats for all, on this machine; 1,000 unless said otherwise
import BenchmarkFigures
import Foundation
import Roomful
import WireProtocol

let rounds = 41
let crowdRounds = 3

guard let file = CommandLine.arguments.dropFirst().first,
    let crowd = Int(CommandLine.arguments.dropFirst(2).first ?? "1000"), (2...10_000).contains(crowd)
else {
    FileHandle.standardError.write(Data("use: JoiningBenchmark TICKET-FILE [CROWD]\n".utf8))
    exit(2)
}
let ticket = try atLoopback(Ticket(contentsOf: file))

let handshake = try Handshake(to: ticket)
var (shakes, joins): ([Double], [Double]) = ([], [])
for number in 0..<rounds {
    shakes.append(try await handshake.milliseconds())
    joins.append(try await joinAlone(number, ticket))
}
print(
    "handshake alone \(text(median(shakes))) ms, a controller from its first packet to its seat \(text(median(joins))) ms"
)
try Figure("handshake-ms", in: "ms", shakes).keep()
try Figure("join-alone-ms", in: "ms", joins, beside: shakes).keep()

var (wholes, middles): ([Double], [Double]) = ([], [])
for round in 0..<crowdRounds {
    let arrivals = try await Crowd(crowd, to: ticket, round: round).join()
    wholes.append((arrivals.last ?? 0) / 1_000)
    print("\(crowd) at once: all have seats after \(text(wholes[round])) s")
    middles.append(Double(crowd) / wholes[round])
}
try Figure("join-crowd-s", in: "s", wholes).keep()
try Figure("join-crowd-a-second", in: "joins a second", middles).keep()

func text(_ value: Double) -> String { String(format: "%.2f", value) }

/// The same room by the loopback device alone: no network has a part in it.
func atLoopback(_ ticket: Ticket) throws -> Ticket {
    let here = Ticket.Address("127.0.0.1:\(ticket.addresses[0].port)").map { [$0] } ?? ticket.addresses
    return try Ticket(
        addresses: here, pin: ticket.pin, code: ticket.code, room: ticket.room, roomID: ticket.roomID)
}

/// A controller that comes and goes, in milliseconds from the first word to the room until its seat.
func joinAlone(_ number: Int, _ ticket: Ticket) async throws -> Double {
    let began = ContinuousClock.now
    return try await withController(ControllerOptions(name: "Alone \(number)"), joining: .ticket(ticket)) { _ in
        (ContinuousClock.now - began) / .milliseconds(1)
    }
}
