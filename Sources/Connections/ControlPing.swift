package import NIOCore

/// The pings of a control connection, as both ends go by them.
package enum ControlPing {
    /// How often hosts ping; controllers hang up on one that has stopped.
    package static let interval: TimeAmount = .seconds(20)
}
