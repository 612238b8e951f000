import WireProtocol

/// What lasts of one gesture of a controller: a motion, or a button that means the same, never both.
///
/// Whoever presses a button means it: a motion that lasts ends with that, and what its recognizer says is left out until the
/// motion is over.
struct Lasting: Sendable {
    private enum Holder {
        case nobody
        case motion(GestureKind?)
        case button(Int, GestureKind?)
    }

    private var holder = Holder.nobody
    private var isMuted = false

    /// Whether it is told what a recognizer saw.
    mutating func admits(_ seen: Recognition) -> Bool {
        if case .button = holder, seen.phase == .began { isMuted = true }
        defer { if seen.phase == .ended { isMuted = false } }
        guard !isMuted else { return false }
        holder = seen.phase == .ended ? .nobody : .motion(seen.kind)
        return true
    }

    /// A button goes down that means the gesture; `kind` says which, where it was taught.
    mutating func press(_ bit: Int, _ kind: GestureKind?) -> [Recognition] {
        if case .motion = holder { isMuted = true }
        let before = end()
        holder = .button(bit, kind)
        return (before.map { [$0] } ?? []) + [Recognition(pressed: .began, kind)]
    }

    /// A button goes up; nothing where another one means the gesture now.
    mutating func letGo(_ bit: Int) -> Recognition? {
        guard case .button(bit, _) = holder else { return nil }
        return end()
    }

    /// Ends it where a button holds it.
    mutating func endPress() -> Recognition? {
        guard case .button = holder else { return nil }
        return end()
    }

    /// Ends what lasts.
    mutating func end() -> Recognition? {
        defer { holder = .nobody }
        switch holder {
        case .nobody: return nil
        case .button(_, let kind): return Recognition(pressed: .ended, kind)
        case .motion(let kind):
            var end = Recognition(.ended, strength: 0, confidence: 0)
            end.kind = kind
            return end
        }
    }
}
