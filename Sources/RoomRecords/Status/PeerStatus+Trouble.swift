extension PeerStatus {
    /// One thing that is wrong with a peer. A page says it in its reader's language: `trouble.` and ``code`` name the
    /// sentence (Sources/Pages/language), the other fields fill it in.
    package struct Trouble: Hashable, Sendable, Codable {
        /// Which sentence: `silent`, `poor`, `late` …; more may be added.
        package var code: String
        /// The same in English, for whoever has no sentence for the code.
        package var words: String
        /// For how long, ms.
        package var timeMs: Double?
        /// Of what is lost, or came well: 0 to 1.
        package var share: Double?
        /// How many samples, datagrams or times.
        package var figure: Int?
        /// Which of its streams.
        package var stream: Int?
        /// How its clock stands: `none`, `coarse` or `stale`.
        package var clock: String?

        init(
            _ code: String, timeMs: Double? = nil, share: Double? = nil, figure: Int? = nil, stream: Int? = nil,
            clock: String? = nil, _ words: String
        ) {
            self.code = code
            self.words = words
            self.timeMs = timeMs
            self.share = share
            self.figure = figure
            self.stream = stream
            self.clock = clock
        }
    }
}
