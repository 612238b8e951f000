import Testing
import WireProtocol

@testable import PeerDiscovery

@Suite("The directory under random callbacks")
struct PeerDirectoryFuzzTests {
    /// Limits low enough to be reached.
    private static let limits: PeerDirectory.Limits = {
        var limits = PeerDirectory.Limits()
        (limits.sightings, limits.rooms, limits.endpointsPerRoom) = (24, 6, 3)
        return limits
    }()

    @Test(
        "Whoever follows the changes has the list; it is bounded, sorted, and empty when all is withdrawn",
        arguments: 0..<40)
    func changesTellTheList(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var directory = PeerDirectory(limits: Self.limits)
        var followed: [DiscoveredRoom.Claim: DiscoveredRoom] = [:]
        for step in 0..<600 {
            for change in directory.apply(event(using: &random)) { follow(change, &followed) }
            #expect(directory.rooms.count <= 6 && directory.rooms.allSatisfy { (1...3).contains($0.endpoints.count) })
            #expect(followed.count == directory.rooms.count, "seed \(seed), step \(step)")
            #expect(directory.rooms.allSatisfy { followed[$0.id] == $0 }, "seed \(seed), step \(step)")
            #expect(directory.rooms == directory.rooms.sorted { ($0.name, $0.id) < ($1.name, $1.id) })
        }
        for change in directory.apply(.backendLost) + directory.apply(.allForNow) { follow(change, &followed) }
        #expect(directory.rooms == [] && followed == [:] && directory.displayNames == [], "seed \(seed)")
    }

    @Test("Steps skipped by a slow reader add up to the same list", arguments: 0..<20)
    func differencesAddUp(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var directory = PeerDirectory(limits: Self.limits)
        var known: [DiscoveredRoom] = []
        var followed: [DiscoveredRoom.Claim: DiscoveredRoom] = [:]
        for _ in 0..<300 {
            _ = directory.apply(event(using: &random))
            guard Bool.random(using: &random) else { continue }
            for change in RoomChange.between(known, directory.rooms) { follow(change, &followed) }
            known = directory.rooms
            #expect(known.allSatisfy { followed[$0.id] == $0 } && followed.count == known.count, "seed \(seed)")
        }
    }

    /// Applies a change as a reader would, and checks that it fits what the reader knew.
    private func follow(_ change: RoomChange, _ rooms: inout [DiscoveredRoom.Claim: DiscoveredRoom]) {
        switch change {
        case .appeared(let room):
            #expect(rooms[room.id] == nil)
            rooms[room.id] = room
        case .changed(let old, let new):
            #expect(rooms[old.id] == old && old.id == new.id)
            rooms[new.id] = new
        case .vanished(let room):
            #expect(rooms[room.id] == room)
            rooms[room.id] = nil
        }
    }

    private func event(using random: inout SplitMix64) -> DiscoveryEvent {
        let sighting = sighting(
            "Room \(Int.random(in: 0..<12, using: &random))", .random(in: 1...2, using: &random),
            Bool.random(using: &random) ? .v4 : .v6)
        switch Int.random(in: 0..<100, using: &random) {
        case ..<35: return .added(sighting)
        case ..<50: return .removed(sighting)
        case ..<90:
            return .resolved(
                sighting,
                resolution(
                    id: .random(in: 0..<10, using: &random), free: .random(in: 0...1, using: &random),
                    pin: Bool.random(using: &random) ? 1 : nil,
                    address: .v4(0x0a00_0000 + .random(in: 0..<5, using: &random)),
                    port: .random(in: 0...3, using: &random)))
        case ..<92: return .unresolved(sighting)
        case ..<95:
            // Our own check of a room that may be listed, or not any more.
            let pin = Bool.random(using: &random) ? Pin(bytes: Array(repeating: 1, count: 32)) : nil
            let claim = DiscoveredRoom.Claim(
                room: roomID(.random(in: 0..<10, using: &random)), pin: pin, instance: sighting.instance)
            return .checked(claim, Bool.random(using: &random) ? .silent : .answering)
        case ..<97: return .backendLost
        default: return .allForNow
        }
    }
}
