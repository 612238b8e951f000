import Testing
import WireProtocol

@Suite("The clear header")
struct DatagramHeaderTests {
    @Test("A header says again what was written into it", arguments: [UInt32(0), 1, 0x0102_0304, .max])
    func roundTrip(number: UInt32) throws {
        for kind in [DatagramHeader.Kind.motion, .feedback, .browserMotion, .browserFeedback] {
            let header = DatagramHeader(
                kind: kind, connection: ConnectionID(index: 0xABCD, generation: 0xEF01), number: number)
            #expect(header.bytes.count == DatagramHeader.size)
            #expect(try DatagramHeader(header.bytes) == header)
        }
    }

    @Test("A connection id is its index in the high half and its generation in the low half")
    func connectionID() {
        let connection = ConnectionID(index: 0xABCD, generation: 0xEF01)
        #expect(connection.rawValue == 0xABCD_EF01)
        #expect(connection.index == 0xABCD)
        #expect(connection.generation == 0xEF01)
    }

    @Test("Only version 1 and kinds 1 to 4 are read, of all first bytes")
    func firstByte() {
        for first in UInt8.min ... .max {
            let isKnown = (0x11...0x14).contains(first)
            #expect(((try? DatagramHeader([first] + Array(repeating: 0, count: 8))) != nil) == isKnown)
        }
    }

    @Test("A datagram of 1,200 bytes is read; one byte more is too many")
    func longest() throws {
        let longest = [0x11] + Array(repeating: UInt8(0), count: WireFormat.maximumDatagramSize - 1)
        #expect(try DatagramHeader(longest).kind == .motion)
        #expect(throws: FrameError.oversized) { try DatagramHeader(longest + [0]) }
    }
}
