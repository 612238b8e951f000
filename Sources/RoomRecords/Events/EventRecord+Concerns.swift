extension EventRecord {
    /// Whom it is about, where that is one player.
    package var player: Int? {
        switch self {
        case .player(let event): event.player
        case .gesture(let event): event.player
        case .motion(let event): event.player
        case .link(let event): event.player
        case .haptic(let event): event.player
        case .teaching(let event): event.player
        case .shaping(let event): event.player
        case .sensor(let event): event.player
        case .omitted(let event): event.player
        case .battery(let event): event.player
        case .submersion(let event): event.player
        case .local(let event): event.player
        case .hello, .team, .verdict, .room, .asking, .queue: nil
        }
    }

    /// Whether it is about this player. The room's own events are about nobody.
    package func concerns(_ player: Int) -> Bool {
        switch self {
        case .team(let event): event.players.contains(player)
        case .verdict(let event): (event.order.joined() + event.unranked + event.missed).contains(player)
        default: self.player == player
        }
    }
}
