import InputMerge
import Logging
import WireProtocol

extension RoomEngine {
    private static let logger = Logger(label: "roomful.sensors")

    /// Whoever wrote a controller whose readings cannot be right reads of it in the room's log, once a stream.
    func tell(_ event: SensorEvent) {
        let sensor = "controller \(controller(event.sensor.peer)), stream \(event.sensor.stream)"
        switch event.change {
        case .connected: Self.logger.debug("\(sensor) came")
        case .disconnected: Self.logger.debug("\(sensor) fell silent")
        case .tookOver: Self.logger.info("\(sensor) took over")
        case .problem(let problem): Self.logger.warning("\(sensor): \(problem.explanation)")
        }
    }
}
