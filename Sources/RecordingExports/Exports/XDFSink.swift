import FlightRecorder
import Foundation
import WireProtocol

/// XDF (<https://github.com/sccn/xdf/wiki/Specifications>), as EEG laboratories expect it: motion in device time with
/// clock offsets, events and marks as marker streams in host time.
///
/// A controller whose clock was set anew gets a stream anew: within one, no clock leaps.
struct XDFSink: ExportSink {
    let path: String
    var paths: [String] { [path] }
    private let handle: FileHandle
    private var out: [UInt8] = Array("XDF:".utf8)
    private var streams: [Stream] = []
    private var motion: [String: Int] = [:]
    private let opening: Opening
    private let events: Int
    private let marks: Int

    private struct Stream {
        var id: UInt32
        var samples: [UInt8] = []
        var waiting: UInt32 = 0
        var count = 0
        var first = 0.0
        var last = 0.0
        /// Of the last sample: how much the host's clock was ahead.
        var ahead = 0.0
        var offsetAt = -Double.infinity
    }

    private static let channels: [(name: String, unit: String, kind: String)] = [
        ("user_x", "g", "ACC"), ("user_y", "g", "ACC"), ("user_z", "g", "ACC"), ("gravity_x", "g", "ACC"),
        ("gravity_y", "g", "ACC"), ("gravity_z", "g", "ACC"), ("rotation_x", "rad/s", "GYRO"),
        ("rotation_y", "rad/s", "GYRO"), ("rotation_z", "rad/s", "GYRO"), ("attitude_w", "", "ORNT"),
        ("attitude_x", "", "ORNT"), ("attitude_y", "", "ORNT"), ("attitude_z", "", "ORNT"),
    ]
    /// A clock that moves by more between two samples was set.
    private static let leap = 0.5
    /// So long after a stream's beginning its first offset is told, in s.
    private static let settling = 3.0

    init(_ path: String, _ opening: Opening) throws {
        self.path = path
        self.opening = opening
        handle = try ExportFile.make(path)
        (events, marks) = (0, 1)
        let stamp = Date(timeIntervalSince1970: Double(opening.wallClock / 1_000_000_000)).ISO8601Format()
        chunk(1, Array("<?xml version=\"1.0\"?><info><version>1.0</version><datetime>\(stamp)</datetime></info>".utf8))
        for (name, meaning) in [
            ("roomful.events", "events.schema.json, as JSON"), ("roomful.marks", "moments that somebody marked"),
        ] {
            let place = begin(
                name: name, type: "Markers", count: 1, rate: 0, format: "string", source: "roomful-\(name)",
                desc: "<channels><channel><label>\(meaning)</label><type>Markers</type></channel></channels>")
            // They are in host time: no offset, said twice, as readers draw a line through two.
            offset(place, at: Double(opening.openedAt.nanoseconds) / 1e9, 0)
        }
    }

    // MARK: Streams

    private mutating func begin(
        name: String, type: String, count: Int, rate: Double, format: String, source: String, desc: String
    ) -> Int {
        let id = UInt32(streams.count + 1)
        let xml = """
            <?xml version="1.0"?><info><name>\(escapedForXML(name))</name><type>\(type)</type>\
            <channel_count>\(count)</channel_count><nominal_srate>\(rate)</nominal_srate>\
            <channel_format>\(format)</channel_format><source_id>\(escapedForXML(source))</source_id>\
            <created_at>0</created_at><hostname>\(escapedForXML(opening.room))</hostname><desc>\(desc)</desc></info>
            """
        chunk(2, Self.bytes(id) + Array(xml.utf8))
        streams.append(Stream(id: id))
        return streams.count - 1
    }

    mutating func add(_ row: [ExportValue], to table: ExportTable) throws {
        switch table.name {
        case ExportTable.motion.name: addMotion(row)
        case ExportTable.events.name: addMarker(row.last, at: row.first, to: events)
        case ExportTable.marks.name: addMarker(row.last, at: row.first, to: marks)
        default: break
        }
        if out.count > 1 << 20 { try write() }
    }

    private mutating func addMarker(_ value: ExportValue?, at: ExportValue?, to stream: Int) {
        guard let text = value?.words, case .number(let ms)? = at else { return }
        let time = Double(opening.openedAt.nanoseconds) / 1e9 + ms / 1e3
        let bytes = Array(text.utf8)
        put(time, [4] + Self.bytes(UInt32(bytes.count)) + bytes, in: stream)
    }

    private mutating func addMotion(_ row: [ExportValue]) {
        guard case .number(let at) = row[0], case .number(let device) = row[2], case .integer(let player) = row[3],
            case .text(let controller) = row[4], case .integer(let number) = row[5]
        else { return }
        let ahead = Double(opening.openedAt.nanoseconds) / 1e9 + at / 1e3 - device
        let key = "\(controller)/\(number)"
        var place = motion[key]
        if let known = place, abs(streams[known].ahead - ahead) > Self.leap || device <= streams[known].last {
            place = nil
        }
        let stream = place ?? beginMotion(controller, player: player, number: number)
        motion[key] = stream
        streams[stream].ahead = ahead
        let values = row[6..<6 + Self.channels.count].flatMap { value -> [UInt8] in
            guard case .number(let number) = value else { return Self.bytes(Float.nan.bitPattern) }
            return Self.bytes(Float(number).bitPattern)
        }
        put(device, values, in: stream)
        // In its first seconds a clock is hardly known: readers draw their line through what comes after.
        if device - streams[stream].first >= Self.settling, device - streams[stream].offsetAt >= 5 {
            offset(stream, at: device, ahead)
        }
    }

    private mutating func beginMotion(_ controller: String, player: Int64, number: Int64) -> Int {
        let channels = Self.channels.map {
            "<channel><label>\($0.name)</label><unit>\($0.unit)</unit><type>\($0.kind)</type></channel>"
        }
        let desc =
            "<channels>\(channels.joined())</channels><acquisition><manufacturer>Roomful</manufacturer>"
            + "<model>controller of player \(player)</model></acquisition>"
            + "<synchronization><can_drop_samples>true</can_drop_samples></synchronization>"
        // The rate is 0, "irregular": every sample bears its own time, and none is made even.
        return begin(
            name: "P\(player) motion", type: "MoCap", count: Self.channels.count, rate: 0, format: "float32",
            source: "\(controller)-\(number)", desc: desc)
    }

    private mutating func put(_ time: Double, _ values: [UInt8], in stream: Int) {
        if streams[stream].count == 0 { streams[stream].first = time }
        streams[stream].samples += [8] + Self.bytes(time.bitPattern) + values
        streams[stream].waiting += 1
        streams[stream].count += 1
        streams[stream].last = time
        if streams[stream].waiting >= 128 { flush(stream) }
    }

    private mutating func flush(_ stream: Int) {
        guard streams[stream].waiting > 0 else { return }
        chunk(3, Self.bytes(streams[stream].id) + [4] + Self.bytes(streams[stream].waiting) + streams[stream].samples)
        streams[stream].samples.removeAll(keepingCapacity: true)
        streams[stream].waiting = 0
    }

    /// How much the host's clock is ahead of the stream's.
    private mutating func offset(_ stream: Int, at time: Double, _ ahead: Double) {
        streams[stream].offsetAt = time
        chunk(4, Self.bytes(streams[stream].id) + Self.bytes(time.bitPattern) + Self.bytes(ahead.bitPattern))
    }

    mutating func finish() throws {
        for place in streams.indices {
            flush(place)
            let stream = streams[place]
            let isMarker = place == events || place == marks
            if isMarker { offset(place, at: max(stream.last, stream.offsetAt) + 1, 0) }
            if !isMarker, stream.count > 0 {
                offset(place, at: stream.last, stream.ahead)
                offset(place, at: stream.last + 1, stream.ahead)
            }
            let xml =
                "<?xml version=\"1.0\"?><info><first_timestamp>\(stream.first)</first_timestamp>"
                + "<last_timestamp>\(stream.last)</last_timestamp><sample_count>\(stream.count)</sample_count></info>"
            chunk(6, Self.bytes(stream.id) + Array(xml.utf8))
        }
        try write()
        try handle.close()
    }

    // MARK: Bytes

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    private mutating func chunk(_ tag: UInt16, _ content: [UInt8]) {
        out += [4] + Self.bytes(UInt32(content.count + 2)) + Self.bytes(tag) + content
    }

    private mutating func write() throws {
        try ExportFile.write(out, to: handle, at: path)
        out.removeAll(keepingCapacity: true)
    }
}
