import ControllerSession
import WireProtocol

/// A controller's link with the shell's part of the work: one stream, times in milliseconds, datagrams as read.
struct Controller {
    static let declarations = [StreamDeclaration(stream: 0)]
    let declarations: [StreamDeclaration]
    var link: ControllerLink
    var epoch = LinkEpoch.numbered(1)
    var feedbackNumber: UInt32 = 0

    init(
        streams: [StreamDeclaration] = declarations, configuration: ControllerLink.Configuration = .init(),
        isOpen: Bool = true
    ) {
        declarations = streams
        link = ControllerLink(streams: streams, configuration: configuration, now: .ms(0))
        if isOpen { link.open(epoch, continues: false, now: .ms(0)) }
    }

    mutating func open(_ number: UInt16, continues: Bool, at time: Double) {
        epoch = .numbered(number)
        feedbackNumber = 0
        link.open(epoch, continues: continues, now: .ms(time))
    }

    @discardableResult
    mutating func append(at time: Double, to stream: StreamID = 0) throws -> UInt32 {
        let sample = Sample(sampledAt: .ms(time), acceleration: SIMD3(0, 0, 9.81))
        return try link.append(sample, to: stream, now: .ms(time))
    }

    /// Appends a sample every `interval` milliseconds and sends what is due after each.
    mutating func stream(from start: Double, count: Int, every interval: Double = 10) throws -> [ReadDatagram] {
        var sent: [ReadDatagram] = []
        for step in 0..<count {
            let time = start + Double(step) * interval
            try append(at: time)
            sent += send(at: time)
        }
        return sent
    }

    /// All datagrams that are due, as bytes.
    mutating func sendBytes(at time: DeviceTime) -> [(sent: SentDatagram, bytes: [UInt8])] {
        var all: [(SentDatagram, [UInt8])] = []
        var buffer = [UInt8](repeating: 0, count: WireFormat.maximumDatagramSize)
        while let sent = buffer.withUnsafeMutableBytes({ link.nextDatagram(into: $0, cipher: TestCipher(), now: time) })
        {
            all.append((sent, Array(buffer[..<sent.size])))
        }
        return all
    }

    /// All datagrams that are due, as read.
    mutating func send(at time: Double) -> [ReadDatagram] {
        sendBytes(at: .ms(time)).compactMap { sent, bytes in
            var read = ReadDatagram(bytes, epoch: epoch, declarations: declarations)
            read?.isHeartbeat = sent.isHeartbeat
            return read
        }
    }

    /// Sends whatever falls due until `end`, at the moments that the link itself names.
    mutating func idle(until end: Double) -> [(at: DeviceTime, datagram: ReadDatagram)] {
        var all: [(DeviceTime, ReadDatagram)] = []
        while let deadline = link.nextDeadline, deadline <= .ms(end) {
            for (_, bytes) in sendBytes(at: deadline) {
                if let read = ReadDatagram(bytes, epoch: epoch, declarations: declarations) {
                    all.append((deadline, read))
                }
            }
        }
        return all
    }

    mutating func receive(_ bytes: [UInt8], at time: DeviceTime) -> [LinkEvent] {
        var bytes = bytes
        return bytes.withUnsafeMutableBytes { link.receive($0, cipher: TestCipher(), arrivedAt: time, now: time) }
    }

    /// The host speaks: the next datagram with these blocks arrives.
    @discardableResult
    mutating func hear(at time: Double, _ write: (inout ByteWriter) -> Void = { _ in }) -> [LinkEvent] {
        defer { feedbackNumber += 1 }
        return receive(Feedback(epoch: epoch, number: feedbackNumber).sealed(write), at: .ms(time))
    }

    /// The host confirms the samples below `cumulative` and those named, with an account if one is given.
    mutating func acknowledge(
        below cumulative: UInt32, and others: [UInt32] = [], stream: StreamID = 0, epoch: UInt8 = 0,
        account: UInt32? = nil, at time: Double
    ) {
        hear(at: time) { writer in
            _ = writer.writeAcknowledgement(
                stream: stream, epoch: epoch, cumulative: cumulative, end: others.max().map { $0 + 1 } ?? cumulative,
                hasArrived: { others.contains($0) })
            if let account { _ = writer.writeAccount(highest: account, unique: account + 1) }
        }
    }
}
