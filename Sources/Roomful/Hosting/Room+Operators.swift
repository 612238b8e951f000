extension Room {
    /// Answers operators on this machine until the room closes.
    func serveOperators() async {}
}
