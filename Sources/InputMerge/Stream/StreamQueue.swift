import WireProtocol

/// Streams that have something to give, each once, in ascending order: by their keys, as the places of tracks change
/// when others come and go.
struct StreamQueue: Sendable {
    private(set) var keys: [StreamKey] = []

    mutating func add(_ key: StreamKey) {
        let place = keys.partitioningIndex { !($0 < key) }
        if place == keys.count || keys[place] != key { keys.insert(key, at: place) }
    }

    mutating func removeAll() { keys.removeAll(keepingCapacity: true) }
}
