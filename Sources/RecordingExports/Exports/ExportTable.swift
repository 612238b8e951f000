/// A table that exports have: what its columns are called, measured in, and mean.
struct ExportTable: Sendable {
    struct Column: Sendable {
        var name: String
        var unit: String
        var meaning: String
        init(_ name: String, _ unit: String, _ meaning: String) {
            (self.name, self.unit, self.meaning) = (name, unit, meaning)
        }
    }

    var name: String
    var columns: [Column]

    private static let at = Column("at_ms", "ms", "since the room opened, on the host's monotonic clock")
    private static let unix = Column(
        "unix_s", "s", "since 1970 (UTC), by the host's wall clock as it was set when the recording began")
    private static let player = Column("player", "", "the player's number, from 1")
    private static let controller = Column("controller", "", "the controller's id: 32 hexadecimal digits")

    private static let sampled = Column(
        "at_ms", "ms",
        "since the room opened, on the host's monotonic clock; until the controller's clock was first measured, where "
            + "at_uncertainty_ms is empty, in effect when the sample arrived")

    static let motion = ExportTable(
        name: "motion",
        columns: [
            sampled, unix,
            Column("device_s", "s", "the same moment on the controller's own clock, whose zero is its own"),
            player, controller, Column("stream", "", "the sensor's number within its controller"),
            Column(
                "user_x", "g",
                "acceleration without gravity, device's axes, CoreMotion's sign; empty without an accelerometer"),
            Column("user_y", "g", "as user_x"), Column("user_z", "g", "as user_x"),
            Column("gravity_x", "g", "where things fall, device's axes; empty where that is not known"),
            Column("gravity_y", "g", "as gravity_x"), Column("gravity_z", "g", "as gravity_x"),
            Column(
                "rotation_x", "rad/s",
                "rotation rate, device's axes, what is known of the gyroscope's bias taken out; empty without one"),
            Column("rotation_y", "rad/s", "as rotation_x"), Column("rotation_z", "rad/s", "as rotation_x"),
            Column(
                "attitude_w", "",
                "device to earth, z up, as a unit quaternion; where rezeroes is not 0, to where the device lay at its last "
                    + "re-zero, until its stream begins anew"),
            Column("attitude_x", "", "as attitude_w"), Column("attitude_y", "", "as attitude_w"),
            Column("attitude_z", "", "as attitude_w"),
            Column(
                "degraded", "",
                "1 where a hole too long to be bridged, or a gyroscope at the end of its range, less than a second ago may "
                    + "still show in attitude and gravity; never where source is controller"),
            Column(
                "source", "",
                "what the attitude rests on: controller (its own), sixAxis, acceleration (its heading means nothing), "
                    + "rotation (it only counts turns)"),
            Column(
                "at_uncertainty_ms", "ms",
                "at_ms is right to ± this, by what was known of the controller's clock then; empty while that was not "
                    + "measured. (A gesture's uncertainty holds the time since the sample before, and the sensor's own "
                    + "latency, besides)"),
            Column(
                "rezeroes", "count",
                "how often its sensor was re-zeroed before, since its stream began: where it rises is the first sample "
                    + "after a re-zero, and it is 0 again where the stream begins anew; gravity and user stay in the "
                    + "device's axes"),
            Column(
                "sample_index", "",
                "its number in its stream, from 0 and from 0 again where that begins anew: numbers that are not here came "
                    + "too late or never, or were refused as absurd; empty where nothing is numbered"),
        ])

    static let events = ExportTable(
        name: "events",
        columns: [
            at, unix, Column("n", "", "the event's number, from 1, without gaps"),
            Column("type", "", "events.schema.json"),
            player,
            Column("json", "", "the whole event, as events.schema.json describes it; in CSV with \\u003b for ;"),
        ])

    static let submersion = ExportTable(
        name: "submersion",
        columns: [
            at, unix, player, controller, Column("stream", "", "the sensor's number within its controller"),
            Column("state", "", "as the room told it"),
            Column("was", "", "the state that ended with it; empty while it goes on"),
            Column("depth", "m", "below the surface; empty where it is not known, like all that follows"),
            Column("depth_uncertainty", "m", "depth is right to ± this"),
            Column("pressure", "kPa", "of the water around the device, the air's above it included"),
            Column("surface_pressure", "kPa", "of the air above the water"),
            Column("temperature", "°C", "of the water"),
            Column("temperature_uncertainty", "°C", "temperature is right to ± this"),
        ])

    static let marks = ExportTable(
        name: "marks", columns: [at, unix, Column("text", "", "what the moment was called")])

    static let links = ExportTable(
        name: "links",
        columns: [
            at, unix, player, controller, Column("transport", "", "udp, wss, post or legacy"),
            Column(
                "datagrams", "count",
                "different ones that arrived so far, of this stay: who left and sits again begins at 0"),
            Column("datagrams_missing", "count", "numbers that have not arrived; empty where nothing is numbered"),
            Column("samples", "count", "delivered to the merge so far"),
            Column(
                "samples_late", "count",
                "arrived too late to count, or were sampled before there was a seat: samples_before_seat of them"),
            Column("samples_missing", "count", "indexes that have not arrived"),
            Column("samples_abandoned", "count", "indexes that the controller had given up before they arrived"),
            Column("round_trip_ms", "ms", "the last probe's"), Column("queueing_ms", "ms", "above the least delay"),
            Column(
                "clock_offset_s", "s",
                "host's clock less the device's, at this moment: at_ms of a motion at it is about 1000 * (device_s + "
                    + "clock_offset_s - opened_at_s), with the opened_at_s of about"),
            Column("clock_uncertainty_ms", "ms", "the offset is right to ± this"),
            Column(
                "clock_rate_ppm", "ppm", "how much faster the host's clock runs; empty while it may as well run slower"),
            Column(
                "samples_before_seat", "count",
                "of samples_late those that were sampled before the seat was given: the network is not to blame"),
        ])

    static let about = ExportTable(
        name: "about", columns: [Column("key", "", "what is said"), Column("value", "", "of the recording")])

    static let dictionary = ExportTable(
        name: "dictionary",
        columns: [
            Column("table", "", "which table"), Column("column", "", "which column"),
            Column("unit", "", "in what it is measured; empty for none"), Column("meaning", "", "what it says"),
        ])

    static let all: [ExportTable] = [.motion, .events, .submersion, .marks, .links, .about, .dictionary]
}

/// What stands in a cell.
enum ExportValue: Hashable, Sendable {
    case number(Double)
    case integer(Int64)
    case text(String)
    /// An object, written as a text.
    case json(String)
    case nothing

    /// What is no figure.
    var words: String? {
        switch self {
        case .text(let text), .json(let text): text
        case .number, .integer, .nothing: nil
        }
    }

    static func real(_ value: Double?) -> ExportValue { value.map { $0.isFinite ? .number($0) : .nothing } ?? .nothing }
    static func count(_ value: UInt64?) -> ExportValue { value.map { .integer(Int64(clamping: $0)) } ?? .nothing }
}

/// Takes the rows of an export.
protocol ExportSink {
    /// The files that it made.
    var paths: [String] { get }
    mutating func add(_ row: [ExportValue], to table: ExportTable) throws
    mutating func finish() throws
}
