import InputMerge
import Logging
import WireProtocol

/// What the game hears of the sensors themselves: who is there, and their motion in batches.
extension RoomEngine {
    private static let logger = Logger(label: "roomful.sensors")

    /// Whoever wrote a controller whose readings cannot be right reads of it in the room's log too, once a stream epoch.
    func tell(_ event: SensorEvent) {
        var told = RoomEvent.Sensor(
            at: milliseconds(event.occurredAt), player: player(of: event.sensor.peer),
            controller: controller(event.sensor.peer), stream: Int(event.sensor.stream),
            location: event.location.rawValue, state: .connected)
        switch event.change {
        case .connected: break
        case .disconnected: told.state = .disconnected
        case .tookOver(let former):
            told.state = .tookOver
            told.from = former.map(Int.init)
        case .problem(let problem):
            told.state = .problem
            told.problem = problem.rawValue
            told.explanation = problem.explanation
            Self.logger.warning("controller \(told.controller), stream \(told.stream): \(problem.explanation)")
        }
        outlets.publish(.sensor(told))
    }

    /// The sensor's motion goes to this listener from now on, and to no earlier one.
    mutating func deliver(
        _ delivery: MotionDelivery, of sensor: StreamKey, to batches: AsyncStream<MotionBatch>.Continuation
    ) -> RoomError? {
        let streams = sink.merge.sensors(of: sensor.peer).map(\.stream)
        guard streams.contains(sensor.stream) else {
            let known = streams.isEmpty ? "none" : streams.map(String.init).joined(separator: ", ")
            return RoomError(.notFound, "there is no stream \(sensor.stream); it has: \(known)")
        }
        endBatches { $0 == sensor }
        batchListeners.append((sensor, batches))
        sink.merge.deliver(delivery, of: sensor)
        return nil
    }

    mutating func tell(_ batch: MotionBatch) {
        for listening in batchListeners where listening.sensor == batch.sensor {
            // Nobody reads it any more.
            if case .terminated = listening.batches.yield(batch) {
                endBatches { $0 == batch.sensor }
                sink.merge.deliver(.none, of: batch.sensor)
            }
        }
    }

    mutating func endBatches(of isMeant: (StreamKey) -> Bool) {
        for listening in batchListeners where isMeant(listening.sensor) { listening.batches.finish() }
        batchListeners.removeAll { isMeant($0.sensor) }
    }
}
