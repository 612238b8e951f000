import Roomful

try await withRoom(RoomOptions(name: "Jump!", policy: .open)) { room in
    print("Open this on a phone: \(room.link)")
    for await event in await room.events() {
        guard case .gesture(let jump, _) = event, jump.gesture == .jump, jump.phase == .began else { continue }
        print("P\(jump.player) jumped!")
        try? await room.player(jump.player).play(intensity: jump.strength, answering: jump.id)
    }
}
