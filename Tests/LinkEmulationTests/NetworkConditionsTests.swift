import LinkEmulation
import Testing

@Suite("A network's description")
struct NetworkConditionsTests {
    @Test("The fleet's example is read")
    func example() throws {
        let conditions = try NetworkConditions(parsing: "loss=5%,burst=3,delay=20±10ms,reorder=1%,dup=0.5%")
        #expect(conditions.loss == 0)
        #expect(abs((conditions.burst?.loss ?? 0) - 0.05) < 1e-12)
        #expect(conditions.burst?.meanLength == 3)
        #expect((conditions.delay, conditions.jitter) == (.milliseconds(20), .milliseconds(10)))
        #expect((conditions.reorder, conditions.duplication) == (0.01, 0.005))
    }

    @Test(
        "Every way to write a value",
        arguments: [
            ("delay=20+-10ms", "delay=20±10ms"), ("delay=20ms±10ms", "delay=20±10ms"),
            ("delay=20ms,jitter=10ms", "delay=20±10ms"), ("delay=0.02s, jitter=10000us", "delay=20±10ms"),
            (" loss = 5 % ", "loss=0.05"), ("reorder=1%:25ms", "reorder=0.01"), ("rate=2Mbit", "rate=2000kbit"),
            ("rate=1Gbit,queue=64KiB", "rate=1Gbit,queue=65536"), ("burst=0.5%:25%", "burst=0.005:0.25"),
            ("", "loss=0%"),
        ])
    func forms(one: String, other: String) throws {
        #expect(try NetworkConditions(parsing: one) == NetworkConditions(parsing: other))
    }

    @Test(
        "What cannot be read names its key and says what the key takes",
        arguments: [
            ("loss=120%", "loss", NetworkConditionsError.Code.outOfRange), ("loss=-1%", "loss", .outOfRange),
            ("loss=much", "loss", .unreadable), ("loss", "loss", .unreadable), ("loss=nan", "loss", .unreadable),
            ("loss=inf", "loss", .unreadable), ("loss=0x1p3", "loss", .unreadable), ("losss=5%", "losss", .unknownKey),
            ("loss=5%,loss=6%", "loss", .repeatedKey), ("delay=20", "delay", .unreadable),
            ("delay=5±10ms", "delay", .outOfRange), ("delay=700s", "delay", .outOfRange),
            ("delay=±ms", "delay", .unreadable), ("jitter=5ms", "jitter", .outOfRange),
            ("burst=3", "burst", .incomplete), ("loss=90%,burst=2", "burst", .outOfRange),
            ("loss=100%,burst=3", "burst", .incomplete), ("loss=5%,burst=0.5", "burst", .outOfRange),
            ("burst=0:0.5", "burst", .outOfRange), ("burst=0.1:2", "burst", .outOfRange), ("dup=2", "dup", .outOfRange),
            ("corrupt=x%", "corrupt", .unreadable), ("rate=0bit", "rate", .outOfRange), ("rate=5", "rate", .unreadable),
            ("queue=64KiB", "queue", .incomplete), ("rate=1Mbit,queue=3", "queue", .outOfRange),
        ])
    func errors(text: String, key: String, code: NetworkConditionsError.Code) {
        let error = #expect(throws: NetworkConditionsError.self) { try NetworkConditions(parsing: text) }
        #expect(error?.key == key)
        #expect(error?.code == code)
        #expect(error?.description.contains(key) == true && error?.takes.isEmpty == false)
    }
}
