import InputMerge
import Testing

/// What happens to every phone all day long, seen by all recognizers at once.
///
/// Real recordings of the same are scored by `roomful lab score` (false events in everyday motion).
@Suite("Hard negatives")
struct GestureNegativeTests {
    @Test(
        "Everyday motion begins nothing but what it is",
        arguments: [
            ("walking", "f1 500 | 40*(f1.3 150 | f0.8 p1 200 | f1.1 p-1 150)", ["rhythm"]),
            ("fast walking", "f1 500 | 20*(f1.8 200 | f0.55 150 | f1 150)", ["rhythm"]),
            ("stairs", "f1 500 | 10*(f2.2 200 | f0.55 160 | f1 200)", ["rhythm"]),
            ("setting the phone down", "f1 500 | z0.25 q1.5 300 | z-0.2 q1 200 | z1.2 20 | 600", []),
            ("a passed-on phone", "f1 300 | f1.2 p2 300 | f0.8 p-2 300 | y0.4 q1 200 | y-0.4 q-1 200 | f1 300", []),
            ("a dropped phone", "f1 500 | f0.05 450 | f9 20 | f1.5 30 | f0.8 30 | f1 300", ["free-fall"]),
            ("a tossed, spinning phone", "f1 500 | f2 150 | f0.1 p4 q4 400 | f4 20 | f1 300", ["free-fall"]),
            ("a pocket", "f1 300 | f1.1 p1.5 400 | f0.9 q1 300 | f1 r1 300 | f1 300", []),
        ])
    func everyday(what: String, marbles: String, expected: [String]) {
        let recognizers = GestureDefinition.all.filter { ![.holdStill, .keepCalmJump].contains($0.kind) }
        let began = watch(marbles, for: recognizers).filter { $0.phase == .began }.map(\.gesture.rawValue)
        #expect(Set(began).sorted() == expected, "\(what)")
    }
}
