import RoomEngine
import SessionCoordinator
import WireProtocol

extension RoomInput: Taped {
    /// Everything that can happen to a room; a case that is new here does not compile until it can be written down.
    func write(to pen: inout TapePen) {
        switch self {
        case .datagram(let bytes, let source, let arrivedAt):
            pen.byte(0)
            pen.put(TapedBytes(bytes))
            pen.put(source)
            pen.put(arrivedAt)
        case .legacyFrame(let bytes, let source, let arrivedAt):
            pen.byte(1)
            pen.put(TapedBytes(bytes))
            pen.put(source)
            pen.put(arrivedAt)
        case .browserDatagram(let bytes, let conversation, let arrivedAt):
            pen.byte(2)
            pen.put(TapedBytes(bytes))
            pen.put(conversation)
            pen.put(arrivedAt)
        case .invite(let invitation, let conversation, let transport, let material, let source):
            pen.byte(3)
            pen.put(invitation)
            pen.put(conversation)
            pen.put(transport)
            pen.put(material)
            pen.put(source)
        case .sensor(let report, let conversation):
            pen.byte(4)
            pen.put(report)
            pen.put(conversation)
        case .status(let status, let conversation):
            pen.byte(5)
            pen.put(status.lastSent)
            pen.put(conversation)
        case .goodbye(let farewell, let conversation):
            pen.byte(6)
            pen.put(farewell)
            pen.put(conversation)
        case .disconnected(let conversation):
            pen.byte(7)
            pen.put(conversation)
        case .command(let command, let request):
            pen.byte(8)
            pen.put(command)
            pen.put(request)
        case .motionIsWanted(let isWanted):
            pen.byte(9)
            pen.put(isWanted)
        case .listenerIsGone(let listener):
            pen.byte(10)
            pen.put(listener)
        case .advance: pen.byte(11)
        case .close(let backIn):
            pen.byte(12)
            pen.put(backIn)
        case .strangers(let counts):
            pen.byte(13)
            pen.put(counts)
        }
    }

    init(from tape: inout TapeReader) throws(TapeError) {
        let kind = try tape.byte()
        switch kind {
        case 0:
            self = .datagram(
                try tape.take(TapedBytes.self).bytes, from: try tape.take(), arrivedAt: try tape.take())
        case 1:
            self = .legacyFrame(
                try tape.take(TapedBytes.self).bytes, from: try tape.take(), arrivedAt: try tape.take())
        case 2:
            self = .browserDatagram(
                try tape.take(TapedBytes.self).bytes, from: try tape.take(), arrivedAt: try tape.take())
        case 3:
            self = .invite(
                try tape.take(), from: try tape.take(), over: try tape.take(), try tape.take(),
                source: try tape.takeIfAny())
        case 4: self = .sensor(try tape.take(), from: try tape.take())
        case 5: self = .status(LinkStatus(lastSent: try tape.take()), from: try tape.take())
        case 6: self = .goodbye(try tape.take(), from: try tape.take())
        case 7: self = .disconnected(try tape.take())
        case 8: self = .command(try tape.take(), try tape.take())
        case 9: self = .motionIsWanted(try tape.take())
        case 10: self = .listenerIsGone(try tape.take())
        case 11: self = .advance
        case 12: self = .close(backIn: try tape.takeIfAny())
        case 13: self = .strangers(try tape.take())
        default: throw .newer("input \(kind)")
        }
    }
}
