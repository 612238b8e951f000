import Roomful

try await withRoom(RoomOptions(name: "Jump!", policy: .open)) { room in
    print("Open this on a phone: \(room.link)")
    for await event in await room.events() {
        guard case .gesture(let jump, _) = event, jump.gesture == .jump, jump.phase == .began else { continue }
        // The player has felt it already: the room answers each gesture, the stronger the harder it was.
        print("P\(jump.player) jumped!")
    }
}
