import PeerDiscovery
import Testing
import WireProtocol

@Suite("The directory of controllers that wait")
struct ControllerDirectoryTests {
    private var directory = ControllerDirectory()
    private let start = ContinuousClock.now
    private static let pin = Pin(bytes: Array(0..<32))

    private func id(_ number: Int) -> String {
        String(repeating: "0", count: 32 - String(number).count) + String(number)
    }

    private func resolution(_ number: Int, address: UInt32 = 0x0a00_0001, port: UInt16 = 4_711) throws -> Resolution {
        let record = try #require(ControllerRecord(id: id(number), protocolVersion: 1, pin: Self.pin, hasHaptics: true))
        return Resolution(address: .v4(address), port: port, interfaceName: "eth0", strings: record.strings)
    }

    private mutating func announce(_ sighting: Sighting, _ resolution: Resolution, after: Duration = .zero) {
        directory.apply(.added(sighting), at: start + after)
        directory.apply(.resolved(sighting, resolution), at: start + after)
    }

    @Test("The record is exactly what the document says, byte by byte, and is read back")
    func record() throws {
        let record = try #require(
            ControllerRecord(
                id: "0F0e0d0c0b0a09080706050403020100", protocolVersion: 1, pin: Self.pin, hasHaptics: true))
        #expect(
            record.strings.map { String(decoding: $0, as: UTF8.self) } == [
                "txtvers=1", "v=1", "id=0f0e0d0c0b0a09080706050403020100",
                "pin=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", "haptics=1",
            ])
        #expect(ControllerRecord(strings: record.strings) == record)
    }

    @Test(
        "What is no record of ours is none; what makes no sense in one is absent",
        arguments: [
            ([], false), (["id=12"], false), (["txtvers=2", "id=%"], false), (["id"], false), (["=x", "id=%"], true),
            (["ID=%", "id=12", "pin=zz", "v=x", "haptics=yes"], true), (["v=99999", "id=%", "pin="], true),
            (["id=%", "pin=\(hex32)-\(hex32)"], true), (["id=%", "haptics", "haptics=1", "v=+1"], true),
        ])
    func strangeRecords(strings: [String], isRead: Bool) {
        let bytes = strings.map { Array($0.replacing("%", with: id(7)).utf8) }
        let record = ControllerRecord(strings: bytes)
        #expect((record != nil) == isRead)
        if let record { #expect(record == ControllerRecord(id: id(7))) }
        #expect(ControllerRecord(strings: bytes + [[UInt8](repeating: 0xFF, count: 1_300)]) == nil)
    }

    @Test("A controller on two interfaces is one, heard first when the first was, and gone with the last")
    mutating func oneManyWays() throws {
        announce(sighting("Blue", 2), try resolution(1), after: .seconds(5))
        announce(sighting("Blue", 3), try resolution(1, address: 0xc0a8_0001), after: .seconds(2))
        let controller = try #require(directory.controllers.first)
        #expect(directory.controllers.count == 1 && controller.endpoints.map(\.host) == ["10.0.0.1", "192.168.0.1"])
        #expect(controller.firstHeard == start + .seconds(2))
        directory.apply(.removed(sighting("Blue", 2)), at: start)
        #expect(directory.controllers.first?.endpoints.count == 1)
        directory.apply(.removed(sighting("Blue", 3)), at: start)
        #expect(directory.controllers.isEmpty)
    }

    @Test("Two of one name are two, sorted by name, then by id")
    mutating func namesakes() throws {
        announce(sighting("Blue", 2), try resolution(2))
        announce(sighting("Blue", 3), try resolution(1))
        announce(sighting("Amber", 4), try resolution(3))
        #expect(directory.controllers.map(\.record.id) == [id(3), id(1), id(2)])
    }

    @Test("What a new responder does not tell of again is gone; an announcement that leads nowhere is not listed")
    mutating func responderLost() throws {
        announce(sighting("Blue"), try resolution(1))
        announce(sighting("Red"), try resolution(2))
        announce(sighting("Nowhere"), try resolution(3, port: 0))
        announce(sighting("Group"), try resolution(4, address: 0xe000_00fb))
        // Another machine's announcement that would lead this one to a port of its own.
        announce(sighting("Self"), try resolution(5, address: 0x7f00_0001))
        directory.apply(.backendLost, at: start)
        #expect(directory.controllers.map(\.name) == ["Blue", "Red"])
        directory.apply(.added(sighting("Red")), at: start)
        directory.apply(.allForNow, at: start)
        #expect(directory.controllers.map(\.name) == ["Red"])
    }

    @Test("Once a flood is gone that kept others out, all is to be asked for anew, once")
    mutating func missed() throws {
        for number in 0..<2_048 { directory.apply(.added(sighting("Pad \(number)")), at: start) }
        #expect(!directory.mayHaveMissedSome)
        announce(sighting("Blue"), try resolution(1))
        #expect(!directory.mayHaveMissedSome && directory.excessSightings == 1)
        for number in 0..<1_024 { directory.apply(.removed(sighting("Pad \(number)")), at: start) }
        #expect(!directory.mayHaveMissedSome)
        directory.apply(.removed(sighting("Pad 2000")), at: start)
        #expect(directory.mayHaveMissedSome)
        directory.beginAnew()
        #expect(!directory.mayHaveMissedSome)
        announce(sighting("Blue"), try resolution(1))
        #expect(directory.controllers.map(\.name) == ["Blue"])
    }

    @Test("However many are forged, the list is bounded, and right again when they are gone")
    mutating func flood() throws {
        for number in 0..<10_000 { announce(sighting("Pad \(number)"), try resolution(number)) }
        #expect(directory.controllers.count == 1_000)
        for number in 0..<10_000 { directory.apply(.removed(sighting("Pad \(number)")), at: start) }
        #expect(directory.controllers.isEmpty)
        announce(sighting("Blue"), try resolution(1))
        #expect(directory.controllers.map(\.name) == ["Blue"])
    }
}
