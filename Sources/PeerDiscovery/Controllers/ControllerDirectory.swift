import WireProtocol

/// Folds what discovery calls out into the controllers that wait nearby, however many interfaces and forgers call.
///
/// A controller is who it claims to be (id and pin), not what it is called. The list is bounded, and at every moment a
/// function of the announcements that stand.
package struct ControllerDirectory: Sendable {
    /// Announcements remembered; those beyond are left out until others go.
    static let mostSightings = 2_048
    static let mostControllers = 1_000
    static let mostEndpoints = 8

    /// One announcement, and what it says once it is resolved.
    private struct Entry: Sendable {
        let sighting: Sighting
        /// When it was first heard, on the caller's clock.
        let heardAt: ContinuousClock.Instant
        var isConfirmed = true
        var reading: (record: ControllerRecord, endpoint: RoomEndpoint)?
    }

    /// Sorted by sighting.
    private var entries: [Entry] = []
    /// Announcements beyond the limit.
    package private(set) var excessSightings = 0
    private var hasTurnedAway = false

    package init() {}

    /// Whether announcements were turned away for want of space, and there is plenty again: time to ask anew for all.
    package var mayHaveMissedSome: Bool { hasTurnedAway && entries.count < Self.mostSightings / 2 }

    /// All is asked for anew: what was turned away comes again.
    package mutating func beginAnew() { hasTurnedAway = false }

    /// Whether an announcement stands and is within the limit.
    func isKnown(_ sighting: Sighting) -> Bool { place(of: sighting) != nil }

    /// Takes in one event.
    package mutating func apply(_ event: DiscoveryEvent, at now: ContinuousClock.Instant) {
        switch event {
        case .added(let sighting):
            if let place = place(of: sighting) { return entries[place].isConfirmed = true }
            guard entries.count < Self.mostSightings else {
                hasTurnedAway = true
                return excessSightings += 1
            }
            entries.insert(
                Entry(sighting: sighting, heardAt: now), at: entries.partitioningIndex { $0.sighting > sighting })
        case .removed(let sighting):
            if let place = place(of: sighting) { entries.remove(at: place) }
        case .resolved(let sighting, let resolution):
            guard let place = place(of: sighting) else { return }
            entries[place].reading = Self.read(resolution, sighting)
        case .unresolved(let sighting):
            if let place = place(of: sighting) { entries[place].reading = nil }
        case .checked: break  // Rooms alone are tried: a controller that died is found out by calling it.
        case .backendLost: for place in entries.indices { entries[place].isConfirmed = false }
        case .allForNow: entries.removeAll { !$0.isConfirmed }
        }
    }

    /// The controllers nearby, by name, then by id; at most 1,000.
    package var controllers: [DiscoveredController] {
        var controllers: [DiscoveredController] = []
        var places: [DiscoveredController.Claim: Int] = [:]
        for entry in entries {
            guard let (record, endpoint) = entry.reading else { continue }
            let claim = DiscoveredController.Claim(id: record.id, pin: record.pin)
            if let place = places[claim] {
                controllers[place].firstHeard = min(controllers[place].firstHeard, entry.heardAt)
                guard !controllers[place].endpoints.contains(where: endpoint.reachesSame) else { continue }
                controllers[place].endpoints.append(endpoint)
            } else if controllers.count < Self.mostControllers {
                places[claim] = controllers.count
                controllers.append(
                    DiscoveredController(
                        name: entry.sighting.instance.text, record: record, endpoints: [endpoint],
                        firstHeard: entry.heardAt))
            }
        }
        for place in controllers.indices {
            controllers[place].endpoints = Array(controllers[place].endpoints.sorted().prefix(Self.mostEndpoints))
        }
        return controllers.sorted { ($0.name, $0.record.id) < ($1.name, $1.record.id) }
    }

    private static func read(_ resolution: Resolution, _ sighting: Sighting) -> (ControllerRecord, RoomEndpoint)? {
        guard let record = ControllerRecord(strings: resolution.strings),
            let endpoint = RoomEndpoint(resolution, at: sighting)
        else { return nil }
        return (record, endpoint)
    }

    private func place(of sighting: Sighting) -> Int? {
        let place = entries.partitioningIndex { $0.sighting >= sighting }
        return place < entries.count && entries[place].sighting == sighting ? place : nil
    }
}

/// A controller that waits nearby, with all the ways to reach it.
public struct DiscoveredController: Sendable, Hashable {
    struct Claim: Hashable {
        let id: String
        let pin: Pin?
    }

    /// As announced. May hold anything: print `displayName` instead.
    public let name: String
    /// What its TXT record says: who it is and what it can do.
    public let record: ControllerRecord
    /// Where to try, best first; at most 8.
    public internal(set) var endpoints: [RoomEndpoint]
    /// When it was first announced, as this search heard it.
    public internal(set) var firstHeard: ContinuousClock.Instant

    /// The name with control characters and changes of writing direction made visible.
    public var displayName: String { name.displayed }
}
