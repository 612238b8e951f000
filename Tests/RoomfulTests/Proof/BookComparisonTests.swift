import Foundation
import Testing
import WireProtocol

@testable import ControllerClient
@testable import ControllerSession
@testable import Identity
@testable import RoomRecords
@testable import Roomful
@testable import RoomfulCLI

@Suite("Books held against the truth")
struct BookComparisonTests {
    /// Ten datagrams, each with its own sample and the one before; number 9 says goodbye, and so does number 10.
    static let log: DatagramLog = {
        var log = DatagramLog()
        for number: UInt32 in 0...10 {
            let first = number == 0 ? 0 : number - 1
            let run = RunRecord(stream: 0, epoch: 0, first: first, count: number == 0 ? 1 : 2)
            log.note(
                SentDatagram(
                    number: number, size: 100, isHeartbeat: false, runs: number < 9 ? [run] : []),
                on: ConnectionID(rawValue: 7), continues: false,
                at: DeviceTime(nanoseconds: Int64(number) * 10_000_000),
                isGoodbye: number >= 9)
        }
        return log
    }()

    /// 0 is lost; 2 overtakes 1; 4 comes twice; 6 and 7 are lost, so that no copy of sample 6 arrives; 10 comes last.
    static let arrivals: [UInt32] = [2, 1, 3, 4, 4, 5, 8, 9, 10]

    static func witness(_ arrivals: [UInt32] = arrivals) -> FleetWitness {
        var fates = Fates()
        fates.delivered = arrivals.map { Fates.Delivery(number: $0, at: Int64($0) * 10_000_000 + 5_000_000) }
        return FleetWitness(name: "Blue", controller: "c7", log: log, fates: [7: fates])
    }

    /// The books that a faultless host keeps of it, counted by hand.
    static func books() throws -> PeerStatus {
        try JSONDecoder().decode(
            PeerStatus.self,
            from: Data(
                """
                {"name": "Blue", "controller": "c7", "seat": 1, "player": 1, "color": "#000000", "state": "released",
                 "link": "good", "transport": "udp", "lastHeardMs": 0, "jitterMs": 0, "clock": {"state": "none"},
                 "witness": {"agreement": "confirmed", "reasons": [], "datagrams": 11, "samples": 9, "confirmed": 8,
                    "isFinal": true},
                 "datagrams": {"sent": 11, "authenticated": 9, "expected": 11, "unique": 8, "missing": 3,
                    "tailMissing": 0, "duplicate": 1, "tooOld": 0, "reordered": 1, "unreadable": 0, "rateLimited": 0, "bytes": 900,
                    "epochs": 1},
                 "samples": {"expected": 9, "delivered": 7, "late": 1, "abandoned": 0, "missing": 1, "redundant": 4,
                    "epochs": 1}}
                """.utf8))
    }

    @Test("The books of a faultless host equal it")
    func equal() throws {
        var comparison = BookComparison()
        comparison.compare(try Self.books(), with: Self.witness())
        #expect(comparison.differences == [])
        #expect(comparison.shortfall == 0)
        #expect(comparison.lines.allSatisfy { $0.host == $0.truth && $0.differing == 0 && $0.unknown == 0 })
    }

    @Test("A link more than was used is explained by a return whose answer was not heard, and by nothing else")
    func unheardAnswer() throws {
        var books = try Self.books()
        books.datagrams.epochs = 3
        var witness = Self.witness()
        for (unanswered, isExplained) in [(0, false), (1, false), (2, true), (9, true)] {
            witness.unanswered = unanswered
            var comparison = BookComparison()
            comparison.compare(books, with: witness)
            #expect(comparison.isEqual == isExplained && comparison.explained.isEmpty == !isExplained)
        }
        // A link less is nobody's.
        books.datagrams.epochs = 0
        var comparison = BookComparison()
        comparison.compare(books, with: witness)
        #expect(comparison.differences == ["Blue: link epochs 0, in truth 1"])
    }

    @Test(
        "Who came back before anything of it was heard begins anew, and its word counts from there; who was heard goes on"
    )
    func unheardBeginning() {
        func sent(continues: Bool) -> Int? {
            var log = DatagramLog()
            for (connection, count) in [(6, 3), (7, 5)] as [(UInt32, UInt32)] {
                for number in 0..<count {
                    log.note(
                        SentDatagram(number: number, size: 100, isHeartbeat: false, runs: []),
                        on: ConnectionID(rawValue: connection), continues: connection == 7 && continues,
                        at: DeviceTime(nanoseconds: 0), isGoodbye: connection == 7 && number == 4)
                }
            }
            var fates = Fates()
            fates.delivered = [Fates.Delivery(number: 4, at: 1)]
            return BookTruth(FleetWitness(name: "Blue", controller: "c7", log: log, fates: [7: fates])).sent
        }
        #expect(sent(continues: false) == 5)
        #expect(sent(continues: true) == 8)
    }

    @Test("Every wrong counter is found and named", arguments: [-1, 1])
    func everyWrongCounter(_ step: Int) throws {
        let optional: [(String, WritableKeyPath<PeerStatus, Int?>)] = [
            ("expected", \.datagrams.expected), ("missing", \.datagrams.missing),
            ("missing at the end", \.datagrams.tailMissing), ("samples expected", \.samples.expected),
            ("samples missing or abandoned", \.samples.missing),
        ]
        let plain: [(String, WritableKeyPath<PeerStatus, Int>)] = [
            ("link epochs", \.datagrams.epochs), ("authenticated", \.datagrams.authenticated),
            ("unique", \.datagrams.unique), ("duplicate", \.datagrams.duplicate), ("too old", \.datagrams.tooOld),
            ("reordered", \.datagrams.reordered), ("unreadable", \.datagrams.unreadable),
            ("rate limited", \.datagrams.rateLimited), ("bytes", \.datagrams.bytes),
            ("stream epochs", \.samples.epochs), ("samples delivered or late", \.samples.delivered),
            ("samples delivered or late", \.samples.late), ("samples missing or abandoned", \.samples.abandoned),
            ("samples repeated", \.samples.redundant),
        ]
        for (name, counter) in optional {
            var books = try Self.books()
            books[keyPath: counter] = (books[keyPath: counter] ?? 0) + step
            expectNamed(name, books)
            books[keyPath: counter] = nil
            expectNamed(name, books)
        }
        for (name, counter) in plain {
            var books = try Self.books()
            books[keyPath: counter] += step
            expectNamed(name, books)
        }
        for said in [10 + (step + 1), nil] {
            var books = try Self.books()
            books.witness?.datagrams = said
            expectNamed("datagrams sent", books)
        }
        #expect(Set(["datagrams sent"] + optional.map(\.0) + plain.map(\.0)) == Set(BookCounter.all.map(\.name)))
    }

    private func expectNamed(_ name: String, _ books: PeerStatus) {
        var comparison = BookComparison()
        comparison.compare(books, with: Self.witness())
        #expect(!comparison.isEqual)
        #expect(comparison.differences.count == 1, "\(comparison.differences)")
        #expect(comparison.differences.first?.hasPrefix("Blue: \(name) ") == true)
        #expect(comparison.lines.filter { $0.differing == 1 }.map(\.counter) == [name])
    }

    @Test("Of copies of the goodbye that were lost the host knows by the control connection, or not: both are true")
    func lastCopyLost() throws {
        let witness = Self.witness(Self.arrivals.dropLast())
        for (tail, isTrue) in [(0, true), (1, true), (2, false)] {
            var books = try Self.books()
            books.datagrams.authenticated = 8
            books.datagrams.unique = 7
            books.datagrams.expected = 10
            books.datagrams.tailMissing = tail
            books.datagrams.bytes = 800
            books.witness?.datagrams = 10
            var comparison = BookComparison()
            comparison.compare(books, with: witness)
            #expect(comparison.isEqual == isTrue, "\(tail): \(comparison.differences)")
        }
    }

    @Test("What the host's kernel threw away explains a shortfall of as many datagrams, and of none more")
    func kernelDrops() throws {
        // 8 reached the machine, and not the room.
        var books = try Self.books()
        books.datagrams.authenticated -= 1
        books.datagrams.unique -= 1
        books.datagrams.missing = 4
        books.datagrams.bytes -= 100
        books.samples.redundant -= 2
        for (drops, strangers, isEqual) in [(1, 2, true), (0, 3, true), (0, 2, false), (2, 2, false)] {
            var comparison = BookComparison()
            comparison.compare(books, with: Self.witness())
            #expect(comparison.shortfall == 1 && !comparison.isEqual)
            comparison.settle(strangers: strangers, corrupted: 2, drops: drops)
            #expect(comparison.isEqual == isEqual, "\(drops) drops, \(strangers) strangers: \(comparison.differences)")
            #expect(comparison.explained.isEmpty != isEqual)
        }
        // A copy too many follows from no loss.
        books.datagrams.unreadable = 1
        var comparison = BookComparison()
        comparison.compare(books, with: Self.witness())
        comparison.settle(strangers: 2, corrupted: 2, drops: 1)
        #expect(comparison.differences == ["Blue: unreadable 1, in truth 0"])
    }

    @Test("What no witness knows is counted, and what the host says of it is on neither side")
    func noWitness() throws {
        var books = try Self.books()
        // Neither goodbye came through, and the control connection's says something else.
        books.witness?.datagrams = 7
        var comparison = BookComparison()
        comparison.compare(books, with: Self.witness(Self.arrivals.dropLast(2)))
        let line = try #require(comparison.lines.first { $0.counter == "datagrams sent" })
        #expect(line.unknown == 1 && line.host == 0 && line.truth == 0)
    }

    @Test("Books that are not there, and figures of the room, differ too")
    func others() {
        var comparison = BookComparison()
        comparison.compare(nil, with: Self.witness())
        comparison.compare("of nobody", host: 3, truth: 2)
        #expect(comparison.differences == ["Blue: the host has no books of it", "of nobody: 3, in truth 2"])
    }

    @Test("What a controller was told is true within what had arrived when it was said")
    func told() {
        let account = { ToldAccount(ControllerReport.Account(highest: $0, unique: $1), Self.witness()) }
        #expect(account(4, 4)?.isTrue == true)
        #expect(account(4, 3)?.isTrue == false)
        #expect(account(2, 1)?.isTrue == true)
        #expect(account(2, 2)?.isTrue == true)
        #expect(account(6, 5)?.isTrue == false)
        #expect(ToldAccount(nil, Self.witness()) == nil)
    }
}
