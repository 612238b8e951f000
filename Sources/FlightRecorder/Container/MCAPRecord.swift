/// The container's own words (<https://mcap.dev/spec>): a file is records, each an opcode, a length and a body.
enum MCAP {
    static let magic: [UInt8] = [0x89, 0x4D, 0x43, 0x41, 0x50, 0x30, 0x0D, 0x0A]

    enum Opcode: UInt8 {
        case header = 1, footer, schema, channel, message, chunk, messageIndex, chunkIndex, attachment
        case attachmentIndex, statistics, metadata, metadataIndex, summaryOffset, dataEnd
    }

    /// Opcode and length.
    static let prefix = 9
    /// What stands of a message before its data: channel, number and two times, too.
    static let messageHead = prefix + 22
    /// Chunks are 1 MiB and what comes in half a second; a reader takes no chunk that claims more.
    static let longestChunk = 64 << 20
}

/// Bytes of records, little-endian.
struct RecordBytes {
    var bytes: [UInt8] = []

    mutating func put<Value: FixedWidthInteger>(_ value: Value) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// A text, or bytes, with their length as 32 bits.
    mutating func put(_ text: String) {
        put(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func put(_ map: [(String, String)]) {
        var inner = RecordBytes()
        for (key, value) in map {
            inner.put(key)
            inner.put(value)
        }
        put(UInt32(inner.bytes.count))
        bytes += inner.bytes
    }

    mutating func record(_ opcode: MCAP.Opcode, _ body: (inout RecordBytes) -> Void) {
        bytes.append(opcode.rawValue)
        let start = bytes.count
        put(UInt64(0))
        body(&self)
        let length = UInt64(bytes.count - start - 8).littleEndian
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: length, toByteOffset: start, as: UInt64.self) }
    }
}

extension TapeReader {
    /// A text with its length as 32 bits, as the container writes it.
    mutating func text() throws(TapeError) -> String {
        let count: UInt32 = try fixed()
        guard let text = String(validating: try raw(Int(count)), as: UTF8.self) else {
            throw TapeError("a text is no UTF-8")
        }
        return text
    }

    mutating func map() throws(TapeError) -> [(String, String)] {
        let count: UInt32 = try fixed()
        var inner = TapeReader(try raw(Int(count)))
        var values: [(String, String)] = []
        while !inner.isAtEnd { values.append((try inner.text(), try inner.text())) }
        return values
    }
}

/// A stream of messages in a file, and how they are to be read.
package struct RecordingChannel: Hashable, Sendable {
    package var id: UInt16
    package var topic: String
    /// `json`, or a word that general tools pass over.
    package var encoding: String
    /// The JSON Schema of its messages; `nil` where they are opaque.
    package var schema: Schema?

    package struct Schema: Hashable, Sendable {
        package var id: UInt16
        package var name: String
        package var text: String
    }

    /// What the engine began with.
    package static let opening = RecordingChannel(id: 1, topic: "roomful/opening", encoding: "roomful-tape")
    /// What reached the engine, in blocks.
    package static let inputs = RecordingChannel(id: 2, topic: "roomful/inputs", encoding: "roomful-tape")
    /// What came of it.
    package static let events = RecordingChannel(
        id: 3, topic: "roomful/events", encoding: "json",
        schema: Schema(
            id: 1, name: "roomful.Event",
            text:
                #"{"type":"object","title":"roomful.Event","description":"An event as events.schema.json describes it; at is ms since the room opened.","properties":{"type":{"type":"string"},"n":{"type":"integer"},"at":{"type":"number"},"player":{"type":"integer"}}}"#
        ))
    /// Moments that somebody pointed at.
    package static let marks = RecordingChannel(
        id: 4, topic: "roomful/marks", encoding: "json",
        schema: Schema(
            id: 2, name: "roomful.Mark",
            text:
                #"{"type":"object","title":"roomful.Mark","properties":{"text":{"type":"string"},"at":{"type":"number","description":"ms since the room opened"}}}"#
        ))
    /// What the recorder has to say of the recording itself: holes, a full disk, its end.
    package static let notes = RecordingChannel(
        id: 5, topic: "roomful/notes", encoding: "json",
        schema: Schema(
            id: 3, name: "roomful.Note",
            text:
                #"{"type":"object","title":"roomful.Note","properties":{"note":{"type":"string"},"text":{"type":"string"},"at":{"type":"number","description":"ms since the room opened"}}}"#
        ))
    package static let all: [RecordingChannel] = [.opening, .inputs, .events, .marks, .notes]

    init(id: UInt16, topic: String, encoding: String, schema: Schema? = nil) {
        self.id = id
        self.topic = topic
        self.encoding = encoding
        self.schema = schema
    }
}
