import Foundation
import RoomEngine
import RoomRecords
import Testing
import WireProtocol

@testable import Identity
@testable import RoomServer
@testable import Roomful

@Suite("A machine whose addresses change while its room is open", .timeLimit(.minutes(2)))
struct AddressWatchTests {
    private let home = [PeerAddress(ipv4: 0xC000_0232, port: 0)]
    private let away = [PeerAddress(ipv4: 0xC000_024D, port: 0), PeerAddress(high: 0x2001_0DB8 << 32, low: 1, port: 0)]

    @Test("Addresses count once they were there at two looks in a row; the same ones in another order are others")
    func settled() {
        var watch = AddressWatch()
        let turned: [PeerAddress] = away.reversed()
        #expect(watch.look(home, known: [], isAmongOthers: true) == nil)
        #expect(watch.look(home, known: [], isAmongOthers: true) == home)
        #expect(watch.look(home, known: home, isAmongOthers: true) == nil)
        #expect(watch.look(away, known: home, isAmongOthers: true) == nil)
        #expect(watch.look(turned, known: home, isAmongOthers: true) == nil)
        #expect(watch.look(away, known: home, isAmongOthers: true) == nil)
        #expect(watch.look(away, known: home, isAmongOthers: true) == away)
        #expect(watch.look(turned, known: away, isAmongOthers: true) == nil)
        #expect(watch.look(turned, known: away, isAmongOthers: true) == turned)
    }

    @Test("What flaps at each look changes nothing, nor does a network that is lost and comes back")
    func flapping() {
        var watch = AddressWatch()
        for step in 0..<20 {
            let addresses = step % 2 == 0 ? home : away
            #expect(watch.look(addresses, known: home, isAmongOthers: true) == nil)
        }
        for _ in 0..<20 { #expect(watch.look([], known: home, isAmongOthers: false) == nil) }
        for _ in 0..<20 { #expect(watch.look(home, known: home, isAmongOthers: true) == nil) }
    }

    @Test("A network that is lost is no move to what is left, as a bridge of containers; a bridge that comes is one")
    func bridges() {
        let bridge = [PeerAddress(ipv4: 0xAC11_0001, port: 0)]
        var watch = AddressWatch()
        for _ in 0..<20 { #expect(watch.look(bridge, known: home + bridge, isAmongOthers: false) == nil) }
        #expect(watch.look(away + bridge, known: home + bridge, isAmongOthers: true) == nil)
        #expect(watch.look(away + bridge, known: home + bridge, isAmongOthers: true) == away + bridge)
        // Whatever it is in, nothing is lost here.
        #expect(watch.look(home + bridge, known: home, isAmongOthers: false) == nil)
        #expect(watch.look(home + bridge, known: home, isAmongOthers: false) == home + bridge)
    }

    @Test("A network counts as lost at once, and as found at the second look, when its new address is the room's, too")
    func lost() {
        var watch = AddressWatch()
        #expect(watch.look(home, known: home, isAmongOthers: true) == nil)
        #expect(!watch.isLost)
        for addresses in [[], home, [], away] {
            let moved = watch.look(addresses, known: home, isAmongOthers: !addresses.isEmpty)
            #expect(moved == nil && watch.isLost)
        }
        let moved = watch.look(away, known: home, isAmongOthers: true)
        #expect(moved == away && !watch.isLost)
    }

    @Test("Whose machine lost its network, or its address alone, is told since when; for a minute after it has moved")
    func notes() {
        func at(_ second: Int64) -> HostTime { HostTime(nanoseconds: second * 1_000_000_000) }
        var notes = NetworkNotes()
        notes.note(isLost: false, hasMoved: false, at: at(1))
        #expect(notes.report(at: at(2)) == nil)
        notes.note(isLost: true, hasMoved: false, at: at(10))
        notes.note(isLost: true, hasMoved: false, at: at(13))
        #expect(notes.report(at: at(190)) == RoomStatus.Network(isLost: true, agoMs: 180_000))
        notes.note(isLost: false, hasMoved: true, at: at(200))
        #expect(notes.report(at: at(259)) == RoomStatus.Network(isLost: false, agoMs: 249_000))
        #expect(notes.report(at: at(260)) == nil)
        // It is back as it was: nothing is to be told.
        notes.note(isLost: true, hasMoved: false, at: at(300))
        notes.note(isLost: false, hasMoved: false, at: at(310))
        #expect(notes.report(at: at(310)) == nil)
        notes.note(isLost: false, hasMoved: true, at: at(400))
        #expect(notes.report(at: at(401)) == RoomStatus.Network(isLost: false, agoMs: 1_000))
        // So it is where that went and came back within the minute: the code that was scanned since is good.
        notes.note(isLost: true, hasMoved: false, at: at(410))
        notes.note(isLost: false, hasMoved: false, at: at(420))
        #expect(notes.report(at: at(421)) == nil)
    }

    @Test("Nobody is sent to an address that a machine gave itself, unless it has no other; then any other is a move")
    func selfAssigned() {
        let names = machine("169.254.3.4", "169.255.0.1", "127.0.0.1", "fe80::1")
        #expect(names.reachable.map(\.host) == ["169.255.0.1"])
        let alone = machine("169.254.3.4", "127.0.0.1", "fe80::1").reachable
        #expect(alone.map(\.host) == ["169.254.3.4"])
        var watch = AddressWatch()
        #expect(watch.look(home, known: alone, isAmongOthers: true) == nil)
        #expect(watch.look(home, known: alone, isAmongOthers: true) == home)
        // Nor does who loses a network move to it.
        for _ in 0..<20 { #expect(watch.look(alone, known: home, isAmongOthers: false) == nil) }
    }

    @Test("A room that moves has another ticket, is no other for its games, and stays there with other options")
    func moved() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        // It is not run: it would look at this machine's own addresses.
        let room = try Room(house.options())
        let events = await room.events().records
        let before = room.ticket
        room.move(to: away)
        #expect(room.ticket.addresses.map(\.host) == ["192.0.2.77", "2001:db8::1", "127.0.0.1"])
        #expect(room.link.hasPrefix("https://192.0.2.77:\(room.port)/"))
        #expect(room.ticket.pin == before.pin && room.ticket.roomID == before.roomID)
        // For a change of the room, screens would load what is played anew.
        await room.lock()
        let told = await events.first { event in
            if case .room = event { true } else { false }
        }
        guard case .room(let first)? = told else {
            Issue.record("nothing was told")
            return
        }
        #expect(first.state == .locked)
        // A reload afterwards does not go back to what the room opened with.
        _ = try await room.make(try room.prepare(room.options))
        #expect(room.ticket.addresses.first?.host == "192.0.2.77")
        await room.close()
        await room.deliver()
        room.release()
    }
}
