import PeerDiscovery
import Testing

@Suite("The watch over rooms that may have died")
struct RoomWatchTests {
    private func room(_ number: UInt64, addresses: Int = 1) -> DiscoveredRoom {
        var directory = PeerDirectory()
        let name = InstanceName(bytes: Array("Room".utf8))
        for address in 0..<addresses {
            guard let name else { continue }
            let sighting = Sighting(instance: name, interface: UInt32(address) + 1, version: .v4)
            _ = directory.apply(.added(sighting))
            _ = directory.apply(
                .resolved(
                    sighting,
                    Resolution(
                        address: .v4(0x0A00_0001 + UInt32(address)), port: 7777, interfaceName: "eth\(address)",
                        strings: RoomRecord(id: roomID(number)).strings)))
        }
        return directory.rooms[0]
    }

    @Test("A room is asked when it appears, and every 3 s as long as it answers")
    func rhythm() {
        var watch = RoomWatch()
        let room = room(1)
        #expect(watch.note(.appeared(room), now: .zero) == [.probe(room.id, room.endpoints)])
        #expect(watch.settled(room.id, at: room.endpoints[0], now: .milliseconds(5)).change == .answering)
        #expect(watch.nextDeadline == .milliseconds(3_005))
        #expect(watch.advance(to: .milliseconds(3_004)) == [])
        #expect(watch.advance(to: .milliseconds(3_005)) == [.probe(room.id, room.endpoints)])
        #expect(watch.settled(room.id, at: room.endpoints[0], now: .milliseconds(3_010)).change == nil)
    }

    @Test("A host that dies right after it answered is silent 6.5 s later, though its record stands")
    func death() {
        var watch = RoomWatch()
        let room = room(1)
        _ = watch.note(.appeared(room), now: .zero)
        _ = watch.settled(room.id, at: room.endpoints[0], now: .zero)
        _ = watch.advance(to: .seconds(3))
        #expect(watch.overdue(at: .milliseconds(4_499)) == [])
        #expect(watch.overdue(at: .milliseconds(4_500)) == [room.id])
        #expect(watch.settled(room.id, at: nil, now: .milliseconds(4_500)).change == nil)
        #expect(watch.advance(to: .seconds(5)) == [.probe(room.id, room.endpoints)])
        #expect(watch.settled(room.id, at: nil, now: .milliseconds(6_500)).change == .silent)
    }

    @Test("One lost question kills nobody, and a silent room that answers again is back")
    func recovery() {
        var watch = RoomWatch()
        let room = room(1)
        _ = watch.note(.appeared(room), now: .zero)
        #expect(watch.settled(room.id, at: nil, now: .zero).change == nil)
        _ = watch.advance(to: .milliseconds(500))
        #expect(watch.settled(room.id, at: nil, now: .milliseconds(500)).change == .silent)
        _ = watch.advance(to: .milliseconds(3_500))
        #expect(watch.settled(room.id, at: room.endpoints[0], now: .milliseconds(3_600)).change == .answering)
    }

    @Test("Of many addresses three are tried at a time, the one that answered last among them")
    func favourite() {
        var watch = RoomWatch()
        let room = room(1, addresses: 5)
        #expect(watch.note(.appeared(room), now: .zero) == [.probe(room.id, Array(room.endpoints[..<3]))])
        _ = watch.settled(room.id, at: room.endpoints[2], now: .zero)
        let tried = [room.endpoints[2], room.endpoints[0], room.endpoints[1]]
        #expect(watch.advance(to: .seconds(3)) == [.probe(room.id, tried)])
    }

    @Test("However many rooms are forged, 48 questions are open at most, and who waited longest is asked next")
    func flood() {
        var watch = RoomWatch()
        var open: [DiscoveredRoom.Claim] = []
        for number in 0..<200 {
            for case .probe(let claim, _) in watch.note(.appeared(room(UInt64(number))), now: .zero) {
                open.append(claim)
            }
        }
        #expect(open.count == 48)
        var asked = Set(open)
        var now = Duration.zero
        while asked.count < 200, now < .seconds(20) {
            now += .milliseconds(1_500)
            for claim in watch.overdue(at: now) {
                for case .probe(let next, _) in watch.settled(claim, at: nil, now: now).actions { asked.insert(next) }
            }
            for case .probe(let next, _) in watch.advance(to: now) { asked.insert(next) }
        }
        #expect(asked.count == 200)
        #expect(now < .seconds(10))
    }

    @Test("A room that vanishes while it is asked is asked no more, and makes room for the next")
    func vanished() {
        var limits = RoomWatch.Limits()
        limits.probes = 1
        var watch = RoomWatch(limits: limits)
        let (first, second) = (room(1), room(2))
        _ = watch.note(.appeared(first), now: .zero)
        #expect(watch.note(.appeared(second), now: .zero) == [])
        #expect(
            watch.note(.vanished(first), now: .milliseconds(30)) == [
                .abandon(first.id), .probe(second.id, second.endpoints),
            ])
        #expect(watch.settled(first.id, at: first.endpoints[0], now: .milliseconds(30)).change == nil)
    }

    @Test("However quickly rooms refuse, no more than 40 are asked in a second beyond the first burst")
    func pace() throws {
        var watch = RoomWatch()
        var asked = 0
        var open: [DiscoveredRoom.Claim] = []
        func take(_ actions: [RoomWatch.Action]) {
            for case .probe(let claim, _) in actions { open.append(claim) }
            asked = asked + actions.count
        }
        for number in 0..<400 { take(watch.note(.appeared(room(UInt64(number))), now: .zero)) }
        var now = Duration.zero
        while now < .seconds(10) {
            // All that are open refuse at once.
            let refused = open
            open = []
            for claim in refused { take(watch.settled(claim, at: nil, now: now).actions) }
            now = try max(now + .milliseconds(1), #require(watch.nextDeadline))
            take(watch.advance(to: now))
        }
        #expect(asked <= 48 + 40 * 10 + 1 && asked >= 40 * 10)
    }
}
