import WireProtocol

/// A value that can be written onto a tape and read again, to the bit.
///
/// What is written is only ever added to: at the end of a section, or as a new number of a case. A reader that meets a
/// number that it does not know says so.
protocol Taped {
    func write(to pen: inout TapePen)
    init(from tape: inout TapeReader) throws(TapeError)
}

extension TapePen {
    mutating func put(_ value: some Taped) { value.write(to: &self) }

    mutating func put(_ value: (some Taped)?) {
        guard let value else { return byte(0) }
        byte(1)
        put(value)
    }

    mutating func put(_ list: [some Taped]) {
        number(UInt64(list.count))
        for value in list { put(value) }
    }
}

extension TapeReader {
    mutating func take<Value: Taped>(_: Value.Type = Value.self) throws(TapeError) -> Value { try Value(from: &self) }

    mutating func takeIfAny<Value: Taped>(_: Value.Type = Value.self) throws(TapeError) -> Value? {
        try byte() == 0 ? nil : Value(from: &self)
    }

    mutating func takeList<Value: Taped>(_: Value.Type = Value.self) throws(TapeError) -> [Value] {
        let count = try number()
        // Each takes a byte at least: who claims more is damaged, and gets no memory.
        guard count <= UInt64(remaining) else { throw .cut }
        var list: [Value] = []
        for _ in 0..<count { list.append(try Value(from: &self)) }
        return list
    }

    /// A field that older recordings do not have.
    mutating func takeLater<Value: Taped>(or absent: Value) throws(TapeError) -> Value {
        isAtEnd ? absent : try take()
    }

    /// The same for one that may be missing in newer ones, too.
    mutating func takeIfAnyLater<Value: Taped>() throws(TapeError) -> Value? { isAtEnd ? nil : try takeIfAny() }
}

extension String: Taped {
    func write(to pen: inout TapePen) {
        var text = self
        text.withUTF8 { pen.bytes(UnsafeRawBufferPointer($0)) }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        guard let text = String(validating: try tape.bytes(), as: UTF8.self) else {
            throw TapeError("a text is no UTF-8")
        }
        self = text
    }
}

extension Bool: Taped {
    func write(to pen: inout TapePen) { pen.byte(self ? 1 : 0) }
    init(from tape: inout TapeReader) throws(TapeError) { self = try tape.byte() != 0 }
}

extension UInt8: Taped {
    func write(to pen: inout TapePen) { pen.byte(self) }
    init(from tape: inout TapeReader) throws(TapeError) { self = try tape.byte() }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    func write(to pen: inout TapePen) { pen.number(UInt64(self)) }
    init(from tape: inout TapeReader) throws(TapeError) {
        guard let value = Self(exactly: try tape.number()) else { throw TapeError("a number is out of its range") }
        self = value
    }
}

extension UInt64: Taped {}
extension UInt32: Taped {}
extension UInt16: Taped {}

extension Int: Taped {
    func write(to pen: inout TapePen) { pen.signed(Int64(self)) }
    init(from tape: inout TapeReader) throws(TapeError) { self = Int(try tape.signed()) }
}

extension Double: Taped {
    func write(to pen: inout TapePen) { pen.fixed(bitPattern) }
    init(from tape: inout TapeReader) throws(TapeError) { self.init(bitPattern: try tape.fixed(UInt64.self)) }
}

extension Float: Taped {
    func write(to pen: inout TapePen) { pen.fixed(bitPattern) }
    init(from tape: inout TapeReader) throws(TapeError) { self.init(bitPattern: try tape.fixed(UInt32.self)) }
}

extension Duration: Taped {
    func write(to pen: inout TapePen) {
        let (seconds, attoseconds) = components
        pen.signed(seconds)
        pen.signed(attoseconds)
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        self.init(secondsComponent: try tape.signed(), attosecondsComponent: try tape.signed())
    }
}

/// The application's own bytes.
struct TapedBytes: Taped {
    var bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }
    func write(to pen: inout TapePen) { bytes.withUnsafeBytes { pen.bytes($0) } }
    init(from tape: inout TapeReader) throws(TapeError) { bytes = Array(try tape.bytes()) }
}

/// A digest of a secret, cut to 8 bytes: as good to compare by, and of no use to whoever finds the recording.
struct TapedDigest: Taped {
    static let length = 8
    var bytes: [UInt8]
    init(_ digest: [UInt8]) { bytes = Array(digest.prefix(Self.length)) }
    func write(to pen: inout TapePen) { bytes.withUnsafeBytes { pen.bytes($0) } }
    init(from tape: inout TapeReader) throws(TapeError) { bytes = Array(try tape.bytes()) }
}

extension RawRepresentable where RawValue == String, Self: Taped {
    func write(to pen: inout TapePen) { pen.put(rawValue) }
    init(from tape: inout TapeReader) throws(TapeError) {
        let word: String = try tape.take()
        guard let value = Self(rawValue: word) else {
            throw .newer("\"\(word.prefix(40))\"")
        }
        self = value
    }
}
