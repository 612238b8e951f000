import WireProtocol

/// Folds what discovery backends call out into a list of rooms, however many interfaces and forgers call.
///
/// A room is who it claims to be (`DiscoveredRoom.Claim`): its announcements on two interfaces and by two versions of IP
/// are one room with several endpoints, two rooms of one name stay two, and whoever announces a known room under another
/// name is listed beside it. The list is bounded,
/// sorted by name, and at every moment a function of the announcements that stand.
package struct PeerDirectory: Sendable {
    /// The rooms nearby, by name, then by claim.
    package private(set) var rooms: [DiscoveredRoom] = []
    package private(set) var tally = DirectoryTally()
    private let limits: Limits

    /// The announcements that stand, sorted; the dictionaries below are only ever looked up.
    private var sightings: [Sighting] = []
    private var facts: [Sighting: Fact] = [:]
    /// Which announcements make up a listed room.
    private var members: [DiscoveredRoom.Claim: [Sighting]] = [:]
    private var listed: [DiscoveredRoom.Claim: DiscoveredRoom] = [:]
    /// What our own checks of listed rooms found.
    private var reachabilities: [DiscoveredRoom.Claim: Reachability] = [:]
    /// Readable announcements of rooms for which the list had no space, in the order in which they came.
    private var waiting: [(claim: DiscoveredRoom.Claim, sighting: Sighting)] = []
    private var resolutions: UInt64 = 0
    private var hasTurnedAway = false

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Every instance name announced, readable or not, as it may be shown; sorted.
    package var displayNames: [String] {
        var names: [InstanceName] = []
        for sighting in sightings where names.last != sighting.instance { names.append(sighting.instance) }
        return names.map(\.text.displayed)
    }

    /// Whether announcements were turned away for want of space, and there is plenty again: time to ask anew for all.
    package var mayHaveMissedSome: Bool { hasTurnedAway && sightings.count < limits.sightings / 2 }

    /// All is asked for anew: what was turned away comes again.
    package mutating func beginAnew() { hasTurnedAway = false }

    /// How many announcements stand, readable or not.
    package var announcements: Int { sightings.count }

    /// Whether an announcement stands and is within the limits.
    package func isKnown(_ sighting: Sighting) -> Bool { facts[sighting] != nil }

    /// Counts an announcement whose name could not even be represented.
    package mutating func rejectName() { tally.rejectedNames += 1 }

    /// Takes in one event and tells what it changed in the list.
    package mutating func apply(_ event: DiscoveryEvent) -> [RoomChange] {
        switch event {
        case .added(let sighting): add(sighting)
        case .removed(let sighting): remove(sighting)
        case .resolved(let sighting, let resolution): resolve(sighting, resolution)
        case .unresolved(let sighting): read(sighting, as: nil)
        case .checked(let claim, let reachability): check(claim, reachability)
        case .backendLost: sightings.flatMap { confirm($0, false) }
        case .allForNow: sightings.filter { facts[$0]?.isConfirmed == false }.flatMap { remove($0) }
        }
    }
}

// MARK: - Announcements

extension PeerDirectory {
    /// What is known about an announcement.
    private struct Fact {
        var isConfirmed = true
        var reading: Reading?
    }

    /// What a resolved announcement says.
    private struct Reading {
        let record: RoomRecord
        let endpoint: RoomEndpoint
        /// Counts up with each resolution, so that the newest can be told.
        let serial: UInt64
        let claim: DiscoveredRoom.Claim
    }

    private mutating func add(_ sighting: Sighting) -> [RoomChange] {
        guard facts[sighting] == nil else { return confirm(sighting, true) }
        guard sightings.count < limits.sightings else {
            tally.excessSightings += 1
            hasTurnedAway = true
            return []
        }
        sightings.insert(sighting, at: sightings.partitioningIndex { $0 > sighting })
        facts[sighting] = Fact()
        return []
    }

    private mutating func remove(_ sighting: Sighting) -> [RoomChange] {
        guard facts[sighting] != nil else { return [] }
        let changes = read(sighting, as: nil)
        facts[sighting] = nil
        sightings.remove(at: sightings.partitioningIndex { $0 >= sighting })
        return changes
    }

    private mutating func confirm(_ sighting: Sighting, _ isConfirmed: Bool) -> [RoomChange] {
        facts[sighting]?.isConfirmed = isConfirmed
        guard let claim = facts[sighting]?.reading?.claim else { return [] }
        return refresh(claim)
    }

    private mutating func resolve(_ sighting: Sighting, _ resolution: Resolution) -> [RoomChange] {
        guard let record = try? RoomRecord(strings: resolution.strings) else {
            tally.rejectedRecords += 1
            return read(sighting, as: nil)
        }
        guard let endpoint = RoomEndpoint(resolution, at: sighting) else {
            tally.rejectedEndpoints += 1
            return read(sighting, as: nil)
        }
        resolutions += 1
        let claim = DiscoveredRoom.Claim(room: record.id, pin: record.pin, instance: sighting.instance)
        return read(sighting, as: Reading(record: record, endpoint: endpoint, serial: resolutions, claim: claim))
    }

    /// Gives an announcement its reading, or takes it away.
    private mutating func read(_ sighting: Sighting, as reading: Reading?) -> [RoomChange] {
        guard let before = facts[sighting] else { return [] }
        facts[sighting]?.reading = reading
        if let claim = before.reading?.claim, claim == reading?.claim { return refresh(claim) }
        return leave(sighting, before.reading?.claim) + join(sighting, reading?.claim)
    }
}

// MARK: - Rooms

extension PeerDirectory {
    private mutating func join(_ sighting: Sighting, _ claim: DiscoveredRoom.Claim?) -> [RoomChange] {
        guard let claim else { return [] }
        guard members[claim] != nil || rooms.count < limits.rooms else {
            tally.excessRooms += 1
            waiting.append((claim, sighting))
            return []
        }
        members[claim, default: []].append(sighting)
        return refresh(claim)
    }

    private mutating func leave(_ sighting: Sighting, _ claim: DiscoveredRoom.Claim?) -> [RoomChange] {
        guard let claim else { return [] }
        guard let others = members[claim]?.filter({ $0 != sighting }) else {
            waiting.removeAll { $0.claim == claim && $0.sighting == sighting }
            return []
        }
        members[claim] = others.isEmpty ? nil : others
        return refresh(claim) + (others.isEmpty ? listFirstWaiting() : [])
    }

    /// Lists the room that waited longest, with all its announcements.
    private mutating func listFirstWaiting() -> [RoomChange] {
        guard let claim = waiting.first?.claim else { return [] }
        members[claim] = waiting.filter { $0.claim == claim }.map(\.sighting)
        waiting.removeAll { $0.claim == claim }
        return refresh(claim)
    }

    private mutating func check(_ claim: DiscoveredRoom.Claim, _ reachability: Reachability) -> [RoomChange] {
        guard listed[claim] != nil else { return [] }
        reachabilities[claim] = reachability
        return refresh(claim)
    }

    /// Brings a room's place in the list up to date with its announcements.
    private mutating func refresh(_ claim: DiscoveredRoom.Claim) -> [RoomChange] {
        let old = listed[claim]
        // An announcement that waits for space concerns a room that is not listed.
        let new = members[claim].flatMap { room(claim, announcedBy: $0) }
        guard let change = RoomChange(from: old, to: new) else { return [] }
        if let old { rooms.remove(at: rooms.partitioningIndex { !precedes($0, old) }) }
        if let new { rooms.insert(new, at: rooms.partitioningIndex { !precedes($0, new) }) }
        listed[claim] = new
        if new == nil { reachabilities[claim] = nil }
        return [change]
    }

    private func room(_ claim: DiscoveredRoom.Claim, announcedBy sightings: [Sighting]) -> DiscoveredRoom? {
        let known = sightings.compactMap { sighting in
            facts[sighting].flatMap { fact in fact.reading.map { (sighting, fact.isConfirmed, $0) } }
        }
        // Interfaces may disagree for a moment while a record changes: the newest word counts.
        guard let (_, _, newest) = known.max(by: { $0.2.serial < $1.2.serial }) else { return nil }
        let endpoints = known.map(\.2.endpoint).sorted().reduce(into: [RoomEndpoint]()) { kept, endpoint in
            guard !kept.contains(where: endpoint.reachesSame) else { return }
            if kept.count < limits.endpointsPerRoom { kept.append(endpoint) }
        }
        return DiscoveredRoom(
            id: claim, name: claim.instance.text, record: newest.record, endpoints: endpoints,
            liveness: known.contains { $0.1 } ? .announced : .unconfirmed,
            reachability: reachabilities[claim] ?? .unchecked)
    }
}

/// The order of the list: by the bytes of the name, then by claim.
private func precedes(_ a: DiscoveredRoom, _ b: DiscoveredRoom) -> Bool {
    if a.name.utf8.elementsEqual(b.name.utf8) { return a.id < b.id }
    return a.name.utf8.lexicographicallyPrecedes(b.name.utf8)
}
