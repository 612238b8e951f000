import WireProtocol

/// What a controller's buttons mean, and which of them are down.
struct ButtonMeanings: Sendable {
    /// What a button means: one of the recognizers' gestures, and which, where it is one that was taught.
    struct Meaning: Sendable {
        var bit: Int
        var gesture: Int
        var kind: GestureKind?
    }

    private(set) var meanings: [Meaning] = []
    /// Which buttons were down in the newest sample, whatever they mean.
    private(set) var held: UInt16 = 0

    /// - Parameters:
    ///   - names: of the buttons' gestures, by bit.
    ///   - taught: what ``StreamDeclaration/taughtGesture`` means, in order.
    mutating func mean(_ names: [String], among gestures: [GestureKind], taught: [GestureKind]) {
        var others = gestures.indices.filter { !names.contains(gestures[$0].rawValue) }[...]
        var taught = taught[...]
        meanings = names.enumerated().compactMap { bit, name in
            switch name {
            case StreamDeclaration.taughtGesture:
                return taught.popFirst().map { Meaning(bit: bit, gesture: gestures.count, kind: $0) }
            case StreamDeclaration.otherGesture:
                if let other = others.popFirst() { return Meaning(bit: bit, gesture: other) }
                return taught.popFirst().map { Meaning(bit: bit, gesture: gestures.count, kind: $0) }
            default:
                return gestures.firstIndex(of: GestureKind(rawValue: name)).map { Meaning(bit: bit, gesture: $0) }
            }
        }
    }

    mutating func meanNothing() { meanings = [] }

    /// Takes which buttons are down now, and tells which of them changed.
    mutating func take(_ buttons: UInt16) -> UInt16 {
        defer { held = buttons }
        return held ^ buttons
    }

    func isDown(_ bit: Int) -> Bool { held >> bit & 1 == 1 }
}
