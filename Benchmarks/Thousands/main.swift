// Thousands of native controllers at one room of this machine: real seats over TLS, sealed datagrams, books that are
// compared to the last sample. Each speaks at its own moment, evenly. It plays faster and faster until something is thrown
// away or made late; or once, at a rate that is asked for, and says what that used.
//
//     ThousandsBenchmark TICKET-FILE [CONTROLLERS [RATE SECONDS]]      10,000 at 2 Hz and faster unless said otherwise
import BenchmarkFigures
import Connections
import Foundation
import OperatorFront
import Roomful
import WireProtocol

let words = Array(CommandLine.arguments.dropFirst())
let count = Int(words.dropFirst().first ?? "10000") ?? 0
let asked: Double? = words.count > 2 ? Double(words[2]) ?? 0 : nil
/// From where it is hard, a quarter faster each time; the last is more than two cores carry of 10,000.
let rates: [Double] = asked.map { [$0] } ?? [2, 4, 8, 10, 12.5, 15.625, 19.53125, 24.4140625]
/// Seconds of each play.
let length = words.count > 3 ? Double(words[3]) ?? 0 : 6
guard let file = words.first, words.count != 3, words.count < 5, (2...10_000).contains(count),
    rates.allSatisfy({ (0.1...100).contains($0) }), (1...15).contains(length)
else {
    FileHandle.standardError.write(Data("use: ThousandsBenchmark TICKET-FILE [CONTROLLERS [RATE SECONDS]]\n".utf8))
    exit(2)
}

/// Joinings that are under way at once.
let width = 32
/// Seconds after which no faster play is begun: what is asked for is a figure, not the whole evening.
let patience = 130.0

do {
    exit(try await measure() ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("ThousandsBenchmark: \(error)\n".utf8))
    exit(2)
}

/// Whether the rate, or any, was carried.
func measure() async throws -> Bool {
    raiseDescriptorLimit()
    let ticket = try atLoopback(Ticket(contentsOf: file))
    let client = try await OperatorClient(room: ticket.room)
    let fastest = rates.max() ?? 1
    let door = try PadDoor(to: ticket, rate: fastest)
    let thread = PadThread(capacity: count, rate: fastest)

    let began = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
            if number >= width { try await group.next() }
            group.addTask { thread.take(number, try await door.join(number)) }
        }
        try await group.waitForAll()
    }
    let joining = (ContinuousClock.now - began) / .seconds(1)
    say("\(count) controllers have their seats after \(text(joining)) s, \(text(Double(count) / joining)) a second")
    try await thread.ask(.settling)

    var (heard, best, tooFast): (Int, Play?, Double?) = (0, nil, nil)
    for rate in rates where tooFast == nil {
        if best != nil, (ContinuousClock.now - began) / .seconds(1) > patience { break }
        do {
            let play = try await Play(of: thread, at: rate, for: length, in: client, after: &heard)
            for line in play.lines { say(line) }
            if asked != nil { try play.keep() }
            if play.isCarried { best = play } else { tooFast = rate }
        } catch  where asked == nil && best != nil {
            say("\(text(rate)) Hz: \(error)")
            tooFast = rate
        }
    }
    do {
        try await thread.ask(.leaving)
        try await thread.ask(.ended)
    } catch let stuck as PadThread.Stuck where best != nil {
        say("they do not leave: \(stuck)")
    }
    await door.close()
    guard let best else {
        FileHandle.standardError.write(Data("at none of \(rates) Hz was everything carried\n".utf8))
        return false
    }
    guard asked == nil else { return true }
    try Figure("thousands-count", in: "controllers", [Double(count)]).keep()
    try Figure("thousands-rate", in: "samples a second", [Double(count) * best.rate]).keep()
    if let tooFast { try Figure("thousands-too-fast", in: "samples a second", [Double(count) * tooFast]).keep() }
    try Figure("thousands-host-cpu", in: "% of a core", [best.hostShare]).keep()
    try Figure("thousands-joins", in: "a second", [Double(count) / joining]).keep()
    return true
}

/// At once, into a pipe too: it goes on for minutes.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

func text(_ value: Double) -> String { String(format: "%.1f", value) }

func status(_ client: OperatorClient) async throws -> RoomStatus {
    guard let status = try await client.ask(OperatorRequest(.status)).status else {
        throw PadDoor.Refused(description: "the room does not say how it is")
    }
    return status
}

/// The same room by the loopback device alone: no network has a part in it.
func atLoopback(_ ticket: Ticket) throws -> Ticket {
    let here = Ticket.Address("127.0.0.1:\(ticket.addresses[0].port)").map { [$0] } ?? ticket.addresses
    return try Ticket(addresses: here, pin: ticket.pin, code: ticket.code, room: ticket.room, roomID: ticket.roomID)
}
