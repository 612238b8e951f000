/// What this machine offers to discovery.
public enum DiscoverySupport {
    /// Why there can be no embedded responder, in a line that says what to do; nil if there can.
    public static var embeddedProblem: String? { EmbeddedServer.problem }
}
