/// Announcing a waiting controller, and seeing those that wait.
extension WaitingController {
    /// Announces the controller while it can be called.
    func advertise() async {}
}
