public import Identity
public import WireProtocol

/// How a controller knows which room to join.
public enum RoomAddress: Sendable {
    /// By the name under which it is announced on the local network.
    case named(String)
    /// By a ticket: it says where the room is, vouches for it, and may carry the code.
    case ticket(Ticket)
    /// By the address of its host, where nothing can be announced.
    case direct(host: String, port: Int)
}

/// Who vouches for a host that claims to be the room. A ticket vouches by itself.
public enum Trust: Sendable {
    /// The rooms trusted before, and nobody else.
    case knownHosts
    /// Somebody who knows this fingerprint.
    case fingerprint(Pin)
    /// The rooms trusted before; for others a person is asked, who compares the fingerprint with the host's screen.
    case ask(@Sendable (Pin, RoomGreeting) async -> Bool)
}
