import ControlPort
import EveningFiles
import Identity
import InputMerge
import Logging
import NIOCore
import RoomEngine
import RoomRecords
import SessionCoordinator
import Synchronization
import WireProtocol

/// Where the engine's outputs go. Nothing here makes the room's thread wait.
struct RoomOutlets: Sendable {
    let journal: EventJournal
    let outbox: Outbox
    let offers: OfferDesk
    let doorSign: DoorSign
    let deliveries: MotionDeliveries
    /// To the game, which waits for no disk.
    let received: AsyncStream<Room.Received>.Continuation
    /// To a browser, on its connection.
    let connections: Conversations
    /// Hears of readings that cannot be right, and of what no recording can hold.
    let sensors: Logger
    /// Hears when the room's own thread stood still.
    let room: Logger

    /// Carries out everything but answers, which belong to whoever asked.
    ///
    /// - Parameter recorder: who keeps the room's events, if anybody does.
    /// - Returns: a listener who reads no more, if that came to light.
    func perform(_ output: RoomOutput, recorder: RoomRecorder?) -> ListenerID? {
        switch output {
        case .event(let event): publish(event, recorder)
        case .answer: break
        case .say(let conversation, let message): outbox.post(.say(conversation, message))
        case .close(let conversation): outbox.post(.close(conversation))
        case .commit(let changes, let conversation, let message):
            outbox.post(.commit(changes, thenSay: conversation, message))
        case .keep(let controller, let talents): outbox.post(.keep(controller, talents))
        case .freeSeats(let count): doorSign.note(freeSeats: count)
        case .offerEnded(let id, let outcome): offers.ended(id, outcome)
        case .received(let controller, let bytes, let channel):
            received.yield(Room.Received(controller: controller, bytes: bytes, channel: channel))
        case .mark(let text, let time, let controller, let player):
            recorder?.mark(text, at: time, by: controller, of: player)
        case .marksDropped(let count, let controller):
            guard recorder != nil else { break }
            let (id, dropped) = (controller.description.prefix(8), plural(count, "mark is", "marks are"))
            sensors.warning("controller \(id): \(dropped) in no recording by now: one a second is kept, 20 at once")
        case .motions(let batch, let listener): return deliveries.yield(batch, to: listener) ? nil : listener
        case .deliveryEnded(let listener): deliveries.end(listener)
        }
        return nil
    }

    private func publish(_ event: RoomEvent, _ recorder: RoomRecorder?) {
        // Whoever wrote a controller whose readings cannot be right reads of it in the room's log too, once a stream epoch.
        if case .sensor(let sensor, _, let controller) = event, case .problem(let problem) = sensor.change {
            let id = controller.description.prefix(8)
            sensors.warning("controller \(id), stream \(sensor.sensor.stream): \(problem.explanation)")
        }
        if case .omitted(let omission, _, let controller) = event {
            let id = controller.description.prefix(8)
            sensors.warning("controller \(id): and \(omission.count) more that are not told; no person does so much")
        }
        switch event {
        case .room(.locked, _): note(isLocked: true)
        case .room(.unlocked, _): note(isLocked: false)
        default: break
        }
        let numbered = journal.publish(event)
        if numbered.event.isNumbered { recorder?.note(numbered) }
    }

    private func note(isLocked: Bool) {
        outbox.post(.door(isLocked: isLocked))
        doorSign.note(isLocked: isLocked)
    }
}
