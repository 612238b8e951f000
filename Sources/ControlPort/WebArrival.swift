/// At which of the room's two doors a request came in.
package enum WebArrival: Hashable, Sendable {
    /// The room's own port, inside TLS.
    case tls
    /// Plain HTTP from this machine: an engine, a development server, or a proxy that ends the TLS.
    case loopback
    /// The same, and its headers say that it was passed on for somebody else, who may be anybody.
    case passedOn
}
