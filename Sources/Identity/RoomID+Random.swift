package import WireProtocol

extension RoomID {
    /// A new identity from the system's randomness.
    package static func random() -> RoomID {
        var generator = SystemRandomNumberGenerator()
        return RoomID(drawing: &generator)
    }
}
