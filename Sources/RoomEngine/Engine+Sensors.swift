import InputMerge
import SessionCoordinator
import WireProtocol

/// Motion of single sensors in batches, for those who asked for it.
extension Engine {
    /// The sensor's motion goes to this listener from now on, and to no earlier one.
    mutating func deliver(
        _ delivery: MotionDelivery, of sensor: StreamKey, to listener: ListenerID
    ) -> RoomError? {
        let streams = sink.merge.sensors(of: sensor.peer).map(\.stream)
        guard streams.contains(sensor.stream) else {
            let known = streams.isEmpty ? "none" : streams.map(String.init).joined(separator: ", ")
            return RoomError(.notFound, "there is no stream \(sensor.stream); it has: \(known)")
        }
        endDelivery { $0 == sensor }
        listeners.append((sensor, listener))
        sink.tell { $0.deliver(delivery, of: sensor) }
        return nil
    }

    mutating func tell(_ batch: MotionBatch) {
        for listening in listeners where listening.sensor == batch.sensor {
            outputs.append(.motions(batch, to: listening.listener))
        }
    }

    /// Nobody reads it any more.
    mutating func endDelivery(to listener: ListenerID) {
        for listening in listeners where listening.listener == listener {
            sink.tell { $0.deliver(.none, of: listening.sensor) }
        }
        listeners.removeAll { $0.listener == listener }
    }

    mutating func endDelivery(of isMeant: (StreamKey) -> Bool) {
        for listening in listeners where isMeant(listening.sensor) {
            outputs.append(.deliveryEnded(listening.listener))
        }
        listeners.removeAll { isMeant($0.sensor) }
    }
}
