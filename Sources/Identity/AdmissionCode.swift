/// What admits a controller to a room: 40 random bits that a person can read out and type, or 130 that are scanned.
///
/// `7KQM-2X9D`: eight digits of Crockford's Base 32, which has no I, L, O and U; 26 in QR codes and ticket files. Read
/// tolerantly: case, spaces and dashes do not matter, O counts as 0, I and L as 1, and full-width letters, Arabic and
/// Persian digits as what they stand for. Printing it by accident shows dots: ask for ``text``.
public struct AdmissionCode: Sendable {
    /// Digits of a code that people type, and of one that nobody does: guessing that is hopeless at any pace, so that a
    /// host always looks at it.
    static let (typedLength, scannedLength) = (8, 26)
    /// Values 0 to 31 of the digits.
    private let digits: [UInt8]
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// A new code from the system's randomness, as people type it.
    public static func random() -> AdmissionCode {
        var generator = SystemRandomNumberGenerator()
        return AdmissionCode(drawing: &generator)
    }

    /// A new code from the system's randomness, for QR codes and ticket files.
    package static func randomToScan() -> AdmissionCode {
        var generator = SystemRandomNumberGenerator()
        return AdmissionCode(drawing: &generator, length: scannedLength)
    }

    init(drawing generator: inout some RandomNumberGenerator, length: Int = typedLength) {
        digits = (0..<length).map { _ in generator.next(upperBound: 32 as UInt8) }
    }

    /// `nil` unless `typed` is eight digits, or 26, give or take what people do to them.
    public init?(_ typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        var digits: [UInt8] = []
        for scalar in typed.unicodeScalars {
            guard let character = AdmissionCode.latin(scalar) else { return nil }
            if " -\t\r\n".utf8.contains(character) { continue }
            guard let value = AdmissionCode.value(of: character) else { return nil }
            digits.append(value)
        }
        guard [Self.typedLength, Self.scannedLength].contains(digits.count) else { return nil }
        self.digits = digits
    }

    /// As people read it: groups of four.
    public var text: String {
        let characters = digits.map { Character(Unicode.Scalar(AdmissionCode.alphabet[Int($0)])) }
        return stride(from: 0, to: characters.count, by: 4).map { start in
            String(characters[start..<min(start + 4, characters.count)])
        }.joined(separator: "-")
    }

    /// Whether it is one that people type.
    package var isTyped: Bool { digits.count == Self.typedLength }

    /// As ASCII has it: keyboards in Japan give full-width letters and dashes of several kinds, others digits of their
    /// own. `nil` for what it has not.
    private static func latin(_ scalar: Unicode.Scalar) -> UInt8? {
        switch scalar.value {
        case 0...0x7F: UInt8(scalar.value)
        case 0x0660...0x0669: UInt8(ascii: "0") + UInt8(scalar.value - 0x0660)
        case 0x06F0...0x06F9: UInt8(ascii: "0") + UInt8(scalar.value - 0x06F0)
        case 0xFF01...0xFF5E: UInt8(scalar.value - 0xFEE0)
        case 0xA0, 0x3000: UInt8(ascii: " ")
        case 0x2010...0x2015, 0x2212, 0x30FC: UInt8(ascii: "-")
        default: nil
        }
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
        a.digits.count == b.digits.count && zip(a.digits, b.digits).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

extension AdmissionCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "••••-••••" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
