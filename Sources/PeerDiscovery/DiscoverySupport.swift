/// What this machine offers to discovery.
public enum DiscoverySupport {
    /// Why there can be no embedded responder, in a line that says what to do; nil if there can.
    ///
    /// Asks a responder's process, which is started for it: that takes some 50 ms, and 5 s at most.
    public static var embeddedProblem: String? { ResponderTrial.problem }

    /// Serves as a responder's process: what `roomful responder` does, and what no other program need do.
    ///
    /// Standard input is the socket to whoever started it. Ends the process when that is closed.
    public static func serveAsResponder() async -> Never { await ResponderService.run() }
}
