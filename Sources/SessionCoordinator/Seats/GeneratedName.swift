import WireProtocol

/// Names for those who bring none: the seat's colour and an animal, so that people find their own on a screen.
enum GeneratedName {
    private static let animals = [
        "Otter", "Fox", "Heron", "Lynx", "Badger", "Finch", "Hare", "Raven", "Seal", "Stork", "Wren", "Beaver",
        "Crane", "Dormouse", "Eagle", "Falcon", "Gecko", "Hedgehog", "Ibex", "Jay", "Kestrel", "Lark", "Marten", "Newt",
        "Owl", "Puffin", "Quail", "Robin", "Salmon", "Toad", "Viper", "Wolf",
    ]

    /// The same controller gets the same animal in every room.
    static func of(_ controller: ControllerID, seat: Int) -> String {
        "\(SeatColor.name(ofSeat: seat)) \(animal(of: controller))"
    }

    /// Of one that has no seat, and so no colour, yet.
    static func animal(of controller: ControllerID) -> String {
        let digits = controller.description.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
        return animals[digits % animals.count]
    }
}
