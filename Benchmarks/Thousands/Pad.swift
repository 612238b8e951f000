import ControllerSession
import Datagrams
import WireProtocol

/// What a pad itself has counted.
struct PadBooks: Sendable {
    let controller: String
    let samples: Int
    let datagrams: Int
}

/// A native controller's link, without a socket, a thread or a task of its own: ten thousand of those would be what is
/// measured.
struct Pad {
    let controller: String
    private let number: Int
    private var link: ControllerLink
    private var played = 0

    init(_ number: Int, seat: PadSeat, rate: Double, now: DeviceTime) {
        (self.number, controller) = (number, seat.controller)
        link = ControllerLink(streams: [StreamDeclaration(nominalRate: rate)], now: now)
        link.open(seat.epoch, continues: false, now: now)
    }

    var isSettled: Bool { link.isSettled }

    var books: PadBooks { PadBooks(controller: controller, samples: played, datagrams: link.report.sentDatagrams) }

    /// The sensor's next sample: rest, and a jump now and then, each pad at its own moments.
    mutating func sample(at time: DeviceTime, now: DeviceTime) {
        let isJumping = (played + number) % 16 == 0
        let sway = Float((played + number) % 50) / 500
        let sample = Sample(
            sampledAt: time, acceleration: SIMD3(sway, isJumping ? -9.81 : 0, 9.81),
            rotationRate: SIMD3(sway, -sway, sway / 2))
        if (try? link.append(sample, to: 0, now: now)) != nil { played += 1 }
    }

    mutating func write(into room: UnsafeMutableRawBufferPointer, _ cipher: LinkCipher, now: DeviceTime) -> Int? {
        link.nextDatagram(into: room, cipher: cipher, now: now)?.size
    }

    mutating func hear(_ feedback: UnsafeMutableRawBufferPointer, _ cipher: LinkCipher, now: DeviceTime) {
        _ = link.receive(feedback, cipher: cipher, arrivedAt: now, now: now)
    }

    mutating func leave(now: DeviceTime) { link.goodbye(.left, now: now) }
}
