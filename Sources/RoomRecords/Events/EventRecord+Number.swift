extension EventRecord {
    /// Whether events of this kind are numbered, so that none is missed unnoticed; the others are newest wins.
    package var isNumbered: Bool {
        switch self {
        case .hello, .motion: false
        case .player, .gesture, .team, .verdict, .link, .haptic, .room, .asking, .queue, .teaching, .shaping, .sensor,
            .omitted, .battery, .local, .submersion:
            true
        }
    }

    /// The event's place among the room's reliable events, from 1; `nil` for `hello` and `motion`, and until the room's
    /// journal has given it one.
    package var number: Int? {
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
            case .queue(let event): event.n
            case .teaching(let event): event.n
            case .shaping(let event): event.n
            case .sensor(let event): event.n
            case .omitted(let event): event.n
            case .battery(let event): event.n
            case .local(let event): event.n
            case .submersion(let event): event.n
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
        case .queue(var event):
            event.n = number
            self = .queue(event)
        case .teaching(var event):
            event.n = number
            self = .teaching(event)
        case .shaping(var event):
            event.n = number
            self = .shaping(event)
        case .sensor(var event):
            event.n = number
            self = .sensor(event)
        case .omitted(var event):
            event.n = number
            self = .omitted(event)
        case .battery(var event):
            event.n = number
            self = .battery(event)
        case .local(var event):
            event.n = number
            self = .local(event)
        case .submersion(var event):
            event.n = number
            self = .submersion(event)
        }
    }
}

extension EventRecord {
    /// When it happened, in ms since the room opened; a team's and a verdict's moment is their own too.
    package var moment: Double {
        switch self {
        case .hello(let event): event.at
        case .player(let event): event.at
        case .gesture(let event): event.at
        case .motion(let event): event.at
        case .team(let event): event.at
        case .verdict(let event): event.at
        case .link(let event): event.at
        case .haptic(let event): event.at
        case .room(let event): event.at
        case .asking(let event): event.at
        case .queue(let event): event.at
        case .teaching(let event): event.at
        case .shaping(let event): event.at
        case .sensor(let event): event.at
        case .omitted(let event): event.at
        case .battery(let event): event.at
        case .local(let event): event.at
        case .submersion(let event): event.at
        }
    }
}
