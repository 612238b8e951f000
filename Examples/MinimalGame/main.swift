// A game in one screen: it hosts a room, and says who jumped. Run it with: swift run MinimalGame
import Roomful

var options = RoomOptions(name: "Jump!", seats: 8, policy: .open, game: "jump")
options.grace = .seconds(60)
options.answersGesturesWithHaptics = false  // The game itself says what is felt: the harder the jump, the stronger.

try await withRoom(options) { room in
    print("\(room.name) has pin \(room.ticket.pin.short). Join with: swift run MinimalController")
    var score: [PlayerNumber: Int] = [:]
    for await event in await room.events() {
        switch event {
        case .player(let player):
            print("P\(player.player) \(player.name) \(player.state)")
            // The next person may get the number. Who is lost may be back, and keeps the points.
            if player.state == .left { score[player.player] = nil }
        case .gesture(let gesture, _) where gesture.gesture == .jump && gesture.phase == .began:
            score[gesture.player, default: 0] += 1
            print("P\(gesture.player) jumped, \(score[gesture.player] ?? 0) in all")
            try? await room.player(gesture.player).play(intensity: gesture.strength, answering: gesture.id)
            if score[gesture.player] == 10 {
                print("P\(gesture.player) wins!")
                room.stop()
            }
        default: break
        }
    }
}
