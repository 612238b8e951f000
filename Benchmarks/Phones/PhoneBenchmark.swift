// Browsers' phones at a room, as many as asked for: each speaks Documentation/WEB.md, section 6, over a WebSocket of its
// own inside TLS, at its sensor's rate. What the host used, and whether its books are exact:
//
//     swift run -c release PhoneBenchmark --phones 150 --rate 60 --for 20
//
// With --link (what `roomful qr --text` prints) the phones go to a room that is there already, with --via through a
// proxy at another address; then each phone's own count is printed, to be held against the room's.
import BenchmarkFigures
import Foundation
import Roomful
import WireProtocol

@main
struct PhoneBenchmark {
    static func main() async {
        do {
            if CommandLine.arguments.dropFirst().first == "host" {
                return try await hostRoom(seats: Int(CommandLine.arguments.last ?? "") ?? 4)
            }
            let plan = try PhonePlan(CommandLine.arguments.dropFirst())
            if let link = plan.link {
                try await visit(link, plan)
            } else {
                let room = try await RoomProcess(seats: plan.phones)
                let isExact = try await measure(room, plan)
                await room.end()
                exit(isExact ? 0 : 1)
            }
        } catch {
            FileHandle.standardError.write(Data("PhoneBenchmark: \(error)\n".utf8))
            exit(2)
        }
    }

    /// Phones at a room that somebody else runs.
    private static func visit(_ link: RoomLink, _ plan: PhonePlan) async throws {
        let crowd = try await PhoneCrowd(plan, to: link)
        let books = try await crowd.play()
        for book in books.sorted(by: { $0.controller < $1.controller }) {
            print("{\"controller\":\"\(book.controller)\",\"samples\":\(book.samples),\"datagrams\":\(book.datagrams)}")
        }
        await crowd.leave()
    }

    /// Phones at a room in a process of its own, which is looked at from outside.
    private static func measure(_ room: RoomProcess, _ plan: PhonePlan) async throws -> Bool {
        let empty = room.figures
        let crowd = try await PhoneCrowd(plan, to: RoomLink(room.link))
        let (before, own) = (room.figures, ProcessFigures(of: getpid()))
        let begin = ContinuousClock.now
        let books = try await crowd.play()
        let (after, ownAfter) = (room.figures, ProcessFigures(of: getpid()))
        let seconds = begin.duration(to: .now) / .seconds(1)
        let account = Account(books, try await room.peers())
        await crowd.leave()

        print(
            "\(plan.phones) phones at \(Int(plan.rate)) Hz over wss for \(Int(plan.seconds)) s: \(account.appended) samples"
        )
        print(
            "  the host used \(percent(after.cpu - before.cpu, of: seconds)) of a core, and "
                + "\(megabytes(after.resident)) of memory (peak \(megabytes(after.peak)), \(megabytes(empty.resident)) without phones)"
        )
        print("  this program used \(percent(ownAfter.cpu - own.cpu, of: seconds)) of a core")
        print("  \(account.summary)")
        for line in account.differences.prefix(12) { print("  DIFFERENT: \(line)") }
        if account.abandoned > 0 {
            print(
                "  NOT FOLLOWED: \(account.abandoned) samples did not arrive within 10 s; is this machine busy otherwise?"
            )
        }
        let name = "\(plan.phones)x\(Int(plan.rate))"
        try Figure("phones-exact-\(name)", in: "phones", [Double(account.exact)]).keep()
        try Figure("phones-host-cpu-\(name)", in: "% of a core", [(after.cpu - before.cpu) / seconds * 100]).keep()
        if account.appended > 0 {
            let each = Double(account.datagrams) / Double(account.appended)
            try Figure("phones-datagrams-\(name)", in: "datagrams a sample", [each]).keep()
        }
        if let worst = account.worstQueueing {
            try Figure("phones-queueing-p99-\(name)", in: "ms", [worst]).keep()
        }
        return account.differences.isEmpty && account.abandoned == 0
    }

    private static func percent(_ cpu: Double, of seconds: Double) -> String {
        "\(Int((cpu / seconds * 100).rounded())) %"
    }
    private static func megabytes(_ bytes: Int) -> String { "\((bytes + (1 << 19)) >> 20) MiB" }
}
