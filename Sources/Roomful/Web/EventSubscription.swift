import Foundation

/// What somebody wants to hear of a room's events.
struct EventSubscription: Sendable, Codable {
    var token: String?
    /// Begin after this event number.
    var after: Int?
    /// Each player's motion too.
    var motion: Bool?
    /// Only these types; `hello` comes always.
    var types: [String]?

    /// `nil` when it is no such object.
    init?(json: Data) {
        guard !json.isEmpty else { return }
        guard let wish = try? JSONDecoder().decode(EventSubscription.self, from: json) else { return nil }
        self = wish
    }

    /// `?after=17&motion=1&types=gesture,player`
    init(query request: WebRequest) {
        after = request.query("after").flatMap { Int($0) }
        motion = request.query("motion").map { $0 == "1" || $0 == "true" }
        types = request.query("types").map { $0.split(separator: ",").map(String.init) }
    }

    func wants(_ event: RoomEvent) -> Bool {
        if case .hello = event { return true }
        return types.map { $0.contains(event.type) } ?? true
    }
}
