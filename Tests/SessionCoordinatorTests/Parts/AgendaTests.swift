import LinkEmulation
import Testing

@testable import SessionCoordinator

@Suite("Agenda")
struct AgendaTests {
    @Test("finds everyone who is due, in order, and nobody else", arguments: [1, 2, 3] as [UInt64])
    func finds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (agenda, due) = (Agenda(), [Int: Int64]())
        for round in 0..<300 {
            // Places come to be used in any order, and the room grows.
            for _ in 0..<generator.next() % 8 {
                let index = Int(generator.next() % UInt64(1 + round))
                agenda.touch(index)
                due[index] = generator.chance(0.2) ? .max - 1 : Int64(generator.next() % 1_000)
            }
            let untouched = due.filter { !agenda.touched.contains($0.key) }
            #expect(agenda.earliestSettled == untouched.values.min() ?? .max)
            // Some are looked at on the way; of whoever was touched that says nothing.
            for index in due.keys.sorted() where generator.chance(0.2) {
                let isTouched = agenda.touched.contains(index)
                let time = Int64(generator.next() % 1_000)
                agenda.note(time, of: index)
                if !isTouched { due[index] = time }
            }
            agenda.settle { due[$0] ?? .max }
            #expect(agenda.earliestSettled == due.values.min() ?? .max)
            let now = Int64(generator.next() % 1_000)
            var (found, place) = ([Int](), 0)
            while let index = agenda.firstDue(from: place, at: now) {
                found.append(index)
                place = index + 1
            }
            #expect(found == due.filter { $0.value <= now }.keys.sorted(), "round \(round), now \(now)")
        }
    }

    @Test("is empty before anybody was there")
    func empty() {
        #expect(Agenda().firstDue(from: 0, at: .max) == nil)
        #expect(Agenda().earliestSettled == .max)
    }
}
