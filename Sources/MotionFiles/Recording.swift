public import WireProtocol

/// A sensor's samples as someone once recorded them, ready to be replayed by a controller.
public struct Recording: Hashable, Sendable {
    /// The `rec` that was chosen, or the file's name; several joined by `+`.
    public var name: String
    /// In order of time, never empty; every sample measures what ``declaration`` says.
    public var samples: [Sample]
    /// What a controller has to say about this sensor when it joins.
    public var declaration: StreamDeclaration

    /// A recording from what is known of it.
    public init(name: String, samples: [Sample], declaration: StreamDeclaration) {
        self.name = name
        self.samples = samples
        self.declaration = declaration
    }

    /// From the first sample to the last.
    public var duration: Duration {
        guard let first = samples.first, let last = samples.last else { return .zero }
        return last.sampledAt - first.sampledAt
    }
}
