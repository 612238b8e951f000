/// What must hold, whatever happens in an evening.
protocol Law {
    /// How it was broken, in words.
    var problems: [String] { get set }
}

extension Law {
    /// How it was broken since the last call.
    mutating func takeProblems() -> [String] {
        defer { problems = [] }
        return problems
    }
}
