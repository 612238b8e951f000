import InputMerge
import RoomEngine
import SessionCoordinator
import WireProtocol

extension HostTime: Taped {
    func write(to pen: inout TapePen) { pen.signed(nanoseconds) }
    init(from tape: inout TapeReader) throws(TapeError) { try self.init(taped: try tape.signed()) }

    /// A time as a tape claims it, which may be anybody's: one whose distance to any other can be computed with.
    init(taped nanoseconds: Int64) throws(TapeError) {
        guard abs(nanoseconds / 2) < 1 << 60 else { throw TapeError("it holds a time that no host's clock can show") }
        self.init(nanoseconds: nanoseconds)
    }
}

extension ConversationID: Taped {
    func write(to pen: inout TapePen) { pen.number(rawValue) }
    init(from tape: inout TapeReader) throws(TapeError) { self.init(rawValue: try tape.number()) }
}

extension RequestID: Taped {
    func write(to pen: inout TapePen) { pen.number(rawValue) }
    init(from tape: inout TapeReader) throws(TapeError) { self.init(rawValue: try tape.number()) }
}

extension ListenerID: Taped {
    func write(to pen: inout TapePen) { pen.number(rawValue) }
    init(from tape: inout TapeReader) throws(TapeError) { self.init(rawValue: try tape.number()) }
}

extension OfferID: Taped {
    func write(to pen: inout TapePen) { pen.number(rawValue) }
    init(from tape: inout TapeReader) throws(TapeError) { self.init(rawValue: try tape.number()) }
}

extension ControllerID: Taped {
    func write(to pen: inout TapePen) {
        pen.fixed(high)
        pen.fixed(low)
    }
    init(from tape: inout TapeReader) throws(TapeError) { self.init(high: try tape.fixed(), low: try tape.fixed()) }
}

extension PeerAddress: Taped {
    func write(to pen: inout TapePen) {
        pen.fixed(high)
        pen.fixed(low)
        pen.fixed(scope)
        pen.fixed(port)
    }
    init(from tape: inout TapeReader) throws(TapeError) {
        let (high, low): (UInt64, UInt64) = (try tape.fixed(), try tape.fixed())
        let scope: UInt32 = try tape.fixed()
        self.init(high: high, low: low, port: try tape.fixed(), scope: scope)
    }
}

extension LinkKey: Taped {
    func write(to pen: inout TapePen) { withUnsafeBytes { pen.raw($0) } }
    init(from tape: inout TapeReader) throws(TapeError) {
        guard let key = LinkKey(bytes: try tape.raw(LinkKey.size)) else { throw .cut }
        self = key
    }
}

extension Transport: Taped {}
extension CipherSuite: Taped {}
extension GestureKind: Taped {}
extension RefusalReason: Taped {}
extension OrientationMethod: Taped {}
extension RoomConfiguration.Policy: Taped {}
extension RoomConfiguration.Mode: Taped {}
extension RoomConfiguration.Names: Taped {}
extension ContestRules.Ties: Taped {}
extension FusionRule.Measure: Taped {}
extension FusionRule.Loss: Taped {}

extension StrangerCounts: Taped {
    func write(to pen: inout TapePen) {
        pen.number(badAuth)
        pen.number(unknown)
        pen.number(malformed)
    }
    init(from tape: inout TapeReader) throws(TapeError) {
        self.init()
        badAuth = try tape.number()
        unknown = try tape.number()
        malformed = try tape.number()
    }
}
