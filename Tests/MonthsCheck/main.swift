// Months of an exhibit in minutes: `MonthsCheck [DAYS [VISITS [SEED]]]`, 90 days of 1,000 visits with seed 1 unless said
// otherwise. The engine, the controllers' links and the network are simulated, with time moved by hand; seats are kept in the
// room's own database, in a folder that is removed. Every 30th day, from the 15th on, the power fails while people play: what
// the database gives back must be what was committed, and everybody has their seat again. Ends with 1 when something breaks,
// or grows: memory, descriptors, the database.
import Foundation
import Glibc
import LeaseStorage
import PrivateFiles
import RoomSimulation
import SessionCoordinator
import Synchronization

let numbers = CommandLine.arguments.dropFirst().map { Int($0) ?? -1 }
guard numbers.count <= 3, numbers.allSatisfy({ $0 > 0 }) else {
    print("usage: MonthsCheck [DAYS [VISITS [SEED]]]")
    exit(2)
}
let days = numbers.first ?? 90
let visits = numbers.dropFirst().first ?? 1_000
let seed = numbers.dropFirst(2).first ?? 1

/// What this process takes of the machine.
struct Footprint {
    let memory: Int
    let descriptors: Int
    let database: Int

    init(folder: String) {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        memory = (pages.flatMap { Int($0[1]) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        database = files.reduce(0) { sum, file in
            let facts = try? FileManager.default.attributesOfItem(atPath: folder + "/" + file)
            return sum + ((facts?[.size] as? Int) ?? 0)
        }
    }
}

final class Failures: Sendable {
    private let texts = Mutex<[String]>([])
    func note(_ text: String) { texts.withLock { if $0.count < 20 { $0.append(text) } } }
    var all: [String] { texts.withLock { $0 } }
}

let place = NSTemporaryDirectory() + "roomful-months-\(getpid())"
let folder = try PrivateFolder(path: place)
var store = try LeaseStore(folder: folder)
var exhibit = try Exhibit(seed: UInt64(seed), seats: 8, rate: 30)
let failures = Failures()

/// The same database, by a new connection, after everything that was to be written is.
func reopened(_ store: LeaseStore) throws -> LeaseStore {
    let written = DispatchSemaphore(value: 0)
    store.save([]) { _ in written.signal() }
    written.wait()
    try store.close()
    return try LeaseStore(folder: folder)
}

/// What the host commits goes where a room's commits go.
@MainActor func keep(_ changes: [LeaseChange]) {
    store.save(changes) { result in
        if case .failure(let error) = result { failures.note("\(error)") }
    }
}

let clock = ContinuousClock()
let began = clock.now
/// The most memory in the second and in the last third of the days: what a room remembers has bounds, and reaches them first.
var (middle, last) = (0, 0)
var first: Footprint?
print("\(days) days of 8 hours, \(visits) visits each, seed \(seed)")
print("  day  visits   left  returns  refused  gestures   memory  database  descriptors")
for day in 1...days {
    try exhibit.day(
        visits: visits, keep: keep,
        powerCut: day % 30 == 15
            ? {
                // Another process opens what is there.
                store = try reopened(store)
                return try store.load()
            } : nil)
    store = try reopened(store)
    if try !store.load().isEmpty { failures.note("day \(day): seats are kept at night") }
    guard day % max(1, days / 9) == 0 || day == days else { continue }
    let now = Footprint(folder: place)
    if day * 3 > days * 2 { last = max(last, now.memory) } else if day * 3 > days { middle = max(middle, now.memory) }
    if first == nil { first = now }
    let counts = exhibit.counts
    let figures: [(Int, Int)] = [
        (day, 5), (counts.visits, 8), (counts.left, 7), (counts.returns, 9), (counts.refused, 9), (counts.gestures, 10),
    ]
    let columns = figures.map { number, width in
        String(repeating: " ", count: max(0, width - "\(number)".count)) + "\(number)"
    }
    print(
        columns.joined()
            + String(
                format: "  %5.1f MB  %5.0f kB  %11d", Double(now.memory) / 1e6, Double(now.database) / 1e3,
                now.descriptors))
    fflush(nil)
}
let took = (clock.now - began) / .seconds(1)
let end = Footprint(folder: place)
let counts = exhibit.counts
print(
    String(
        format: "%d days in %.0f s: %.0f times the speed", days, took, Double(days) * 86_400 / took))
var broken = failures.all + exhibit.violations
if days < 20 {
    print("too few days to say whether anything grows; \(counts.restored) seats were given back after power cuts")
}
if let first, days >= 20 {
    if Double(last) > Double(middle) * 1.05 + 1.5e6 { broken.append("memory grows") }
    if end.database > first.database * 2 + 100_000 { broken.append("the database grows") }
    if end.descriptors != first.descriptors { broken.append("descriptors are left open") }
}
if counts.left != counts.visits - counts.refused {
    broken.append("the room let \(counts.left) go, of \(counts.visits - counts.refused)")
}
if counts.joined != counts.left { broken.append("\(counts.joined) joined, and \(counts.left) left") }
if counts.gestures * 10 < (counts.visits - counts.refused) * 9 {
    broken.append("only \(counts.gestures) gestures were seen")
}
if days >= 15, counts.restored < 2 { broken.append("no power cut gave a seat back") }
for text in broken { print("  \(text)") }
try store.close()
try FileManager.default.removeItem(atPath: place)
if days >= 20, broken.isEmpty {
    print("nothing grows; \(counts.restored) seats were taken when the power failed, and given back")
}
if !broken.isEmpty { print("FAILED") }
exit(broken.isEmpty ? 0 : 1)
