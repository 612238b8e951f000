/// What admits a controller to a room: 40 random bits that a person can read out and type.
///
/// `7KQM-2X9D`: eight digits of Crockford's Base 32, which has no I, L, O and U. Read tolerantly: case, spaces and
/// dashes do not matter, O counts as 0, I and L as 1. Printing it by accident shows dots: ask for ``text``.
public struct AdmissionCode: Sendable {
    /// Values 0 to 31 of the eight digits.
    private let digits: [UInt8]
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// A new code from the system's randomness.
    public static func random() -> AdmissionCode {
        var generator = SystemRandomNumberGenerator()
        return AdmissionCode(drawing: &generator)
    }

    init(drawing generator: inout some RandomNumberGenerator) {
        digits = (0..<8).map { _ in generator.next(upperBound: 32 as UInt8) }
    }

    /// `nil` unless `typed` is eight digits, give or take what people do to them.
    public init?(_ typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        var digits: [UInt8] = []
        for character in typed.utf8 {
            if " -\t\r\n".utf8.contains(character) { continue }
            guard let value = AdmissionCode.value(of: character) else { return nil }
            digits.append(value)
        }
        guard digits.count == 8 else { return nil }
        self.digits = digits
    }

    /// As people read it: two groups of four.
    public var text: String {
        let characters = digits.map { Character(Unicode.Scalar(AdmissionCode.alphabet[Int($0)])) }
        return String(characters[..<4]) + "-" + String(characters[4...])
    }

    private static func value(of character: UInt8) -> UInt8? {
        let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character) ? character - 32 : character
        switch upper {
        case UInt8(ascii: "O"): return 0
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        default: return alphabet.firstIndex(of: upper).map { UInt8($0) }
        }
    }
}

extension AdmissionCode: Equatable {
    /// Takes the same time wherever the first difference lies, so that guessing learns nothing from it.
    public static func == (a: AdmissionCode, b: AdmissionCode) -> Bool {
        zip(a.digits, b.digits).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension AdmissionCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "••••-••••" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
