// Thousands of native controllers at one room of this machine: real seats over TLS, sealed datagrams, books that are compared
// to the last sample. It plays faster and faster until something is thrown away or made late.
//
//     ThousandsBenchmark TICKET-FILE [CONTROLLERS [RATE ...]]      10,000 at 1, 2, 4, 8 Hz unless said otherwise
import BenchmarkFigures
import Connections
import Foundation
import OperatorFront
import Roomful
import WireProtocol

let words = Array(CommandLine.arguments.dropFirst())
let count = Int(words.dropFirst().first ?? "10000") ?? 0
let rates = words.count > 2 ? words.dropFirst(2).map { Double($0) ?? 0 } : [1, 2, 4, 8]
guard let file = words.first, (2...10_000).contains(count), rates.allSatisfy({ (0.1...100).contains($0) }) else {
    FileHandle.standardError.write(Data("use: ThousandsBenchmark TICKET-FILE [CONTROLLERS [RATE ...]]\n".utf8))
    exit(2)
}

/// Seconds of each play.
let length = 10.0
/// Joinings that are under way at once.
let width = 32

do {
    exit(try await measure() ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("ThousandsBenchmark: \(error)\n".utf8))
    exit(2)
}

/// Whether any rate was carried.
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

    var best: (rate: Double, cpu: Double)?
    for rate in rates {
        let before = try await status(client)
        guard let pid = before.pid else { throw PadDoor.Refused(description: "the room does not say its process") }
        let (cpuBefore, start) = (ProcessFigures(of: pid_t(pid)).cpu, ContinuousClock.now)
        try await thread.ask(.playing(rate: rate, samples: Int(rate * length)))
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let cpu = (ProcessFigures(of: pid_t(pid)).cpu - cpuBefore) / seconds * 100
        try await thread.ask(.settling)
        try await thread.ask(.silent)
        try await Task.sleep(for: .milliseconds(500))
        let comparison = Comparison(
            thread.standing.value.books, try await client.ask(OperatorRequest(.peers)).peers ?? [])
        try await thread.ask(.waiting)
        let drops = (try await status(client).strangers.kernelDrops ?? 0) - (before.strangers.kernelDrops ?? 0)
        let lateness = thread.standing.value.lateness.sorted()
        let late = lateness.isEmpty ? 0 : lateness[lateness.count * 99 / 100]
        say(
            "\(text(rate)) Hz: host \(text(cpu)) % of a core; samples made late by p99 \(text(late)) ms; "
                + (drops == 0 ? "nothing thrown away" : "\(drops) datagrams thrown away by the kernel") + "; "
                + (comparison.differences.isEmpty ? "every book exact" : "\(comparison.differences.count) lines differ")
        )
        for difference in comparison.differences.prefix(5) { say("  \(difference)") }
        // Samples that are made an interval late are no samples of that rate.
        guard drops == 0, comparison.differences.isEmpty, late < 1_000 / rate else { break }
        best = (rate, cpu)
    }
    try await thread.ask(.leaving)
    try await thread.ask(.ended)
    await door.close()
    guard let best else {
        FileHandle.standardError.write(Data("at none of \(rates) Hz was everything carried\n".utf8))
        return false
    }
    try Figure("thousands-count", in: "controllers", [Double(count)]).keep()
    try Figure("thousands-rate", in: "samples a second", [Double(count) * best.rate]).keep()
    try Figure("thousands-host-cpu", in: "% of a core", [best.cpu]).keep()
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
