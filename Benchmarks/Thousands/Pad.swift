import ControllerSession
import Datagrams
import Foundation
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

    /// The sensor's next sample: it is held in a hand that sways, and one in ten jumps every other second, each at its
    /// own moments.
    mutating func sample(at time: DeviceTime, now: DeviceTime) {
        let seconds = Double(time.nanoseconds) / 1e9 + Double(number) * 0.618
        let (turn, swing) = (2 * Double.pi * 0.8, 0.15)
        let roll = swing * sin(turn * seconds)
        let force = 9.80665 + (number % 10 == 0 ? Self.jump(seconds.truncatingRemainder(dividingBy: 2)) : 0)
        let sample = Sample(
            sampledAt: time, acceleration: SIMD3(0, Float(force * sin(roll)), Float(force * cos(roll))),
            rotationRate: SIMD3(Float(swing * turn * cos(turn * seconds)), 0, 0))
        if (try? link.append(sample, to: 0, now: now)) != nil { played += 1 }
    }

    /// What a jump adds to the force upwards, in m/s²: push, flight, landing.
    private static func jump(_ time: Double) -> Double {
        switch time {
        case 1.0..<1.25: 10
        case 1.25..<1.65: -9.80665
        case 1.65..<1.85: 16
        default: 0
        }
    }

    mutating func write(into room: UnsafeMutableRawBufferPointer, _ cipher: LinkCipher, now: DeviceTime) -> Int? {
        link.nextDatagram(into: room, cipher: cipher, now: now)?.size
    }

    mutating func hear(_ feedback: UnsafeMutableRawBufferPointer, _ cipher: LinkCipher, now: DeviceTime) {
        _ = link.receive(feedback, cipher: cipher, arrivedAt: now, now: now)
    }

    mutating func leave(now: DeviceTime) { link.goodbye(.left, now: now) }
}
