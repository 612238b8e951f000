import PeerDiscovery
import Testing
import WireProtocol

@Suite("The directory of rooms")
struct PeerDirectoryTests {
    private var directory = PeerDirectory()

    @Test("A room appears once it is resolved, not when it is merely announced")
    mutating func appears() throws {
        let sighting = sighting("Living Room")
        #expect(directory.apply(.added(sighting)) == [])
        #expect(directory.displayNames == ["Living Room"])
        let changes = directory.apply(.resolved(sighting, resolution(id: 1)))
        #expect(changes == directory.rooms.map(RoomChange.appeared))
        #expect(directory.rooms.map(\.name) == ["Living Room"])
    }

    @Test("A room on two interfaces and two versions of IP is one room with four endpoints, best first")
    mutating func oneRoomManyWays() throws {
        let ways: [(Sighting, Resolution)] = [
            (sighting("Room", 3, .v6), resolution(id: 1, address: .v6(0xfe80 << 48, 9))),
            (sighting("Room", 2, .v6), resolution(id: 1, address: .v6(0xfd77 << 48, 9))),
            (sighting("Room", 3, .v4), resolution(id: 1, address: .v4(0xc0a8_0001))),
            (sighting("Room", 2, .v4), resolution(id: 1, address: .v4(0x0a00_0001))),
            (sighting("Room", 4, .v4), resolution(id: 1, address: .v4(0x0a00_0001))),
        ]
        for (sighting, resolution) in ways { announce(sighting, resolution) }
        let room = try #require(directory.rooms.first)
        #expect(directory.rooms.count == 1)
        #expect(room.endpoints.map(\.host) == ["10.0.0.1", "192.168.0.1", "fd77::9", "fe80::9%eth3"])
    }

    @Test("Whoever announces a known room under another name neither renames it nor adds to its addresses")
    mutating func hijack() {
        announce(sighting("Living Room"), resolution(id: 1))
        let before = directory.rooms
        announce(sighting("Zzz Party"), resolution(id: 1, address: .v4(0x0A00_0063)))
        #expect(directory.rooms.first == before.first)
        #expect(directory.rooms.map(\.name) == ["Living Room", "Zzz Party"])
    }

    @Test("A loopback address that another network tells of is not taken for this machine's own")
    mutating func foreignLoopback() {
        announce(sighting("Room"), resolution(id: 1, address: .v4(0x7F00_0001)))
        #expect(directory.rooms == [] && directory.tally.rejectedEndpoints == 1)
    }

    @Test("A room vanishes with its last announcement, not with the first")
    mutating func vanishes() throws {
        let v4 = sighting("Room", 2, .v4)
        let v6 = sighting("Room", 2, .v6)
        announce(v4, resolution(id: 1))
        announce(v6, resolution(id: 1, address: .v6(0xfd77 << 48, 9)))
        let before = directory.rooms[0]
        #expect(directory.apply(.removed(v4)) == [.changed(from: before, to: directory.rooms[0])])
        let last = directory.rooms[0]
        #expect(directory.apply(.removed(v6)) == [.vanished(last)])
        #expect(directory.apply(.removed(v6)) == [])
        #expect(directory.rooms == [] && directory.displayNames == [])
    }

    @Test("Two rooms of one name are two rooms, and so are two pins that claim one room")
    mutating func sameName() throws {
        announce(sighting("Room", 2), resolution(id: 1))
        announce(sighting("Room", 3), resolution(id: 2))
        announce(sighting("Room", 4), resolution(id: 2, pin: 7))
        #expect(directory.rooms.map(\.id.room) == [roomID(1), roomID(2), roomID(2)])
        #expect(Set(directory.rooms.map(\.name)) == ["Room"])
    }

    @Test("A changed record changes the room; the same record again changes nothing")
    mutating func recordChanges() throws {
        let sighting = sighting("Room")
        announce(sighting, resolution(id: 1, free: 4))
        #expect(directory.apply(.resolved(sighting, resolution(id: 1, free: 4))) == [])
        let before = directory.rooms[0]
        let changes = directory.apply(.resolved(sighting, resolution(id: 1, free: 3)))
        #expect(changes == [.changed(from: before, to: directory.rooms[0])])
        #expect(directory.rooms[0].record.freeSeats == 3)
    }

    @Test("While the backend is away rooms stay listed as unconfirmed; what it does not tell again goes")
    mutating func backendRestarts() throws {
        let stays = sighting("Stays")
        let goes = sighting("Goes")
        announce(stays, resolution(id: 1))
        announce(goes, resolution(id: 2))
        #expect(directory.apply(.backendLost).count == 2)
        #expect(directory.rooms.map(\.liveness) == [.unconfirmed, .unconfirmed])
        _ = directory.apply(.added(stays))
        #expect(directory.rooms.map(\.liveness) == [.unconfirmed, .announced])
        _ = directory.apply(.allForNow)
        #expect(directory.rooms.map(\.name) == ["Stays"])
    }

    @Test("Records of other services, and addresses that lead nowhere, are counted and not listed")
    mutating func rejects() throws {
        announce(sighting("A"), Resolution(address: .v4(1 << 24), port: 1, interfaceName: "x", strings: text("id=1")))
        announce(sighting("B"), resolution(id: 1, address: .v4(0xe000_00fb)))
        announce(sighting("C"), resolution(id: 1, address: .v6(0, 0)))
        announce(sighting("D"), resolution(id: 1, port: 0))
        #expect(directory.rooms == [])
        #expect(directory.displayNames == ["A", "B", "C", "D"])
        #expect(directory.tally.rejectedRecords == 1 && directory.tally.rejectedEndpoints == 3)
        #expect(InstanceName(bytes: [0xff]) == nil && InstanceName(bytes: Array(repeating: 97, count: 64)) == nil)
    }

    @Test("A resolution that comes after the announcement went is ignored")
    mutating func lateResolution() {
        #expect(directory.apply(.resolved(sighting("Room"), resolution(id: 1))) == [])
        #expect(directory.rooms == [])
    }

    @Test("10,000 forged rooms fill the list to its limit, and it is right again when they are gone")
    mutating func flood() {
        let forged = (0..<10_000).map { number in (sighting("forged \(number)"), resolution(id: UInt64(number + 10))) }
        for (sighting, resolution) in forged.prefix(2_000) { announce(sighting, resolution) }
        let real = sighting("Real")
        announce(real, resolution(id: 1))
        for (sighting, resolution) in forged.dropFirst(2_000) { announce(sighting, resolution) }
        #expect(directory.rooms.count == 1_000)
        #expect(directory.tally.excessSightings > 0)
        for (sighting, _) in forged { _ = directory.apply(.removed(sighting)) }
        #expect(directory.rooms.map(\.name) == ["Real"])
    }

    @Test("A room that a flood kept out is asked for anew once the flood is gone, and only then")
    mutating func missedInAFlood() {
        let forged = (0..<4_096).map { sighting("forged \($0)") }
        for sighting in forged { _ = directory.apply(.added(sighting)) }
        #expect(!directory.mayHaveMissedSome)
        _ = directory.apply(.added(sighting("Real")))
        for sighting in forged.prefix(2_048) { _ = directory.apply(.removed(sighting)) }
        #expect(!directory.mayHaveMissedSome)
        _ = directory.apply(.removed(forged[2_048]))
        #expect(directory.mayHaveMissedSome)
        directory.beginAnew()
        #expect(!directory.mayHaveMissedSome)
    }

    @Test("What our own check found belongs to the room, and is forgotten with it")
    mutating func checked() throws {
        announce(sighting("Room"), resolution(id: 1))
        let room = try #require(directory.rooms.first)
        #expect(room.reachability == .unchecked)
        #expect(directory.apply(.checked(room.id, .silent)).count == 1)
        #expect(directory.rooms.map(\.reachability) == [.silent])
        _ = directory.apply(.removed(sighting("Room")))
        #expect(directory.apply(.checked(room.id, .answering)) == [])
        announce(sighting("Room"), resolution(id: 1))
        #expect(directory.rooms.map(\.reachability) == [.unchecked])
    }

    @Test("A room with too many addresses keeps the best 16")
    mutating func manyAddresses() {
        for number in (0..<40).reversed() {
            announce(sighting("Room", UInt32(number)), resolution(id: 1, address: .v4(0x0a00_0000 + UInt32(number))))
        }
        #expect(directory.rooms[0].endpoints.map(\.host) == (0..<16).map { "10.0.0.\($0)" })
    }
}

extension PeerDirectoryTests {
    private mutating func announce(_ sighting: Sighting, _ resolution: Resolution) {
        _ = directory.apply(.added(sighting))
        _ = directory.apply(.resolved(sighting, resolution))
    }
}

func sighting(_ name: String, _ interface: UInt32 = 2, _ version: Sighting.IPVersion = .v4) -> Sighting {
    Sighting(instance: InstanceName(bytes: Array(name.utf8))!, interface: interface, version: version)
}

/// The id that is this number.
func roomID(_ number: UInt64) -> RoomID {
    RoomID(bytes: (0..<16).map { $0 < 8 ? 0 : UInt8(truncatingIfNeeded: number >> (8 * (15 - UInt64($0)))) })!
}

func resolution(
    id: UInt64, free: UInt16 = 4, pin: UInt8? = nil, address: IPAddress = .v4(0x0a00_0001), port: UInt16 = 7777
) -> Resolution {
    let record = RoomRecord(
        id: roomID(id), freeSeats: free, totalSeats: 4,
        pin: pin.flatMap { Pin(bytes: Array(repeating: $0, count: 32)) })
    return Resolution(address: address, port: port, interfaceName: "eth3", strings: record.strings)
}
