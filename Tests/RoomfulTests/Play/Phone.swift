import Foundation
import InputMerge
import WireProtocol

@testable import ControllerClient
@testable import Roomful

/// A phone that is held level, or leans, as its own attitude says, and is pushed at known times.
struct Phone: Sendable {
    static let streams = [stream(rate: 100)]
    static func stream(rate: Double) -> StreamDeclaration {
        StreamDeclaration(measures: [.acceleration, .rotationRate, .attitude], nominalRate: rate)
    }

    let controller: Controller
    /// Samples a second.
    var rate = 100.0
    var attitude = Quaternion.identity

    /// Sends samples from `start` on, each when it is due, `push` in g (Apple's sign) at each of their times.
    func move(
        from start: DeviceTime = Controller.deviceTimeNow(), for seconds: Double,
        push: @Sendable (DeviceTime) -> SIMD3<Double> = { _ in .zero }
    ) async throws {
        for tick in 0..<Int(seconds * rate) {
            let time = start + .nanoseconds(Int64(Double(tick) * 1e9 / rate))
            try await Task.sleep(for: max(.zero, time - Controller.deviceTimeNow()))
            let sample = Sample(
                sampledAt: time, measures: [.acceleration, .rotationRate, .attitude],
                acceleration: SIMD3<Float>((attitude.up - push(time)) * standardGravity),
                attitude: SIMD4<Float>(SIMD4(attitude.w, attitude.x, attitude.y, attitude.z)))
            controller.send(sample)
        }
    }

    /// 1 g along y for 60 ms from each of these times on.
    static func pushes(at times: [DeviceTime]) -> @Sendable (DeviceTime) -> SIMD3<Double> {
        { time in
            let isPushed = times.contains { time >= $0 && time < $0 + .milliseconds(60) }
            return SIMD3(0, isPushed ? 1 : 0, 0)
        }
    }
}

extension TestHouse {
    func phone(_ name: String, rate: Double = 100) throws -> ControllerOptions {
        var options = try controller(name)
        options.streams = [Phone.stream(rate: rate)]
        return options
    }
}
