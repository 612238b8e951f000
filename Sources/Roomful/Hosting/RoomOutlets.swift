import Logging
import NIOCore
import RoomEngine
import SessionCoordinator
import Synchronization
import WireProtocol

/// Where the engine's outputs go. Nothing here makes the room's thread wait.
struct RoomOutlets: Sendable {
    let journal: EventJournal
    let outbox: Outbox
    let offers: OfferDesk
    let freeSeats: AsyncStream<Int>.Continuation
    let deliveries: MotionDeliveries
    /// To a browser, on its connection.
    let server: ControlServer
    let openedAt: HostTime

    private static let sensors = Logger(label: "roomful.sensors")

    /// Carries out everything but answers, which belong to whoever asked.
    ///
    /// - Returns: a listener who reads no more, if that came to light.
    func perform(_ output: RoomOutput) -> ListenerID? {
        switch output {
        case .event(let event): publish(event)
        case .answer: break
        case .say(let conversation, let message): outbox.post(.say(conversation, message))
        case .close(let conversation): outbox.post(.close(conversation))
        case .commit(let changes, let conversation, let message):
            outbox.post(.commit(changes, thenSay: conversation, message))
        case .keep(let controller, let talents): outbox.post(.keep(controller, talents))
        case .freeSeats(let count): freeSeats.yield(count)
        case .offerEnded(let id, let outcome): offers.ended(id, outcome)
        case .received(let controller, let bytes, let channel):
            outbox.post(.received(controller.description, bytes, channel: channel))
        case .motions(let batch, let listener): return deliveries.yield(batch, to: listener) ? nil : listener
        case .deliveryEnded(let listener): deliveries.end(listener)
        }
        return nil
    }

    private func publish(_ event: RoomEvent) {
        // Whoever wrote a controller whose readings cannot be right reads of it in the room's log too, once a stream epoch.
        if case .sensor(let sensor, _, let controller) = event, case .problem(let problem) = sensor.change {
            Self.sensors.warning("controller \(controller), stream \(sensor.sensor.stream): \(problem.explanation)")
        }
        journal.publish(EventRecord(event, openedAt: openedAt))
    }
}
