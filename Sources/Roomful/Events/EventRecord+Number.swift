extension EventRecord {
    /// Whether events of this kind are numbered, so that none is missed unnoticed; the others are newest wins.
    var isNumbered: Bool {
        switch self {
        case .hello, .motion: false
        case .player, .gesture, .team, .verdict, .link, .haptic, .room, .asking, .teaching, .sensor: true
        }
    }

    /// The event's place among the room's reliable events, from 1; `nil` for `hello` and `motion`, and until the room's
    /// journal has given it one.
    public var number: Int? {
        get {
            switch self {
            case .hello, .motion: nil
            case .player(let event): event.n
            case .gesture(let event): event.n
            case .team(let event): event.n
            case .verdict(let event): event.n
            case .link(let event): event.n
            case .haptic(let event): event.n
            case .room(let event): event.n
            case .asking(let event): event.n
            case .teaching(let event): event.n
            case .sensor(let event): event.n
            }
        }
        set { setNumber(newValue) }
    }

    private mutating func setNumber(_ number: Int?) {
        switch self {
        case .hello, .motion: break
        case .player(var event):
            event.n = number
            self = .player(event)
        case .gesture(var event):
            event.n = number
            self = .gesture(event)
        case .team(var event):
            event.n = number
            self = .team(event)
        case .verdict(var event):
            event.n = number
            self = .verdict(event)
        case .link(var event):
            event.n = number
            self = .link(event)
        case .haptic(var event):
            event.n = number
            self = .haptic(event)
        case .room(var event):
            event.n = number
            self = .room(event)
        case .asking(var event):
            event.n = number
            self = .asking(event)
        case .teaching(var event):
            event.n = number
            self = .teaching(event)
        case .sensor(var event):
            event.n = number
            self = .sensor(event)
        }
    }
}
