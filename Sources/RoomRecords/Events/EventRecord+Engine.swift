package import InputMerge
package import RoomEngine
package import SessionCoordinator
package import WireProtocol

// What the engine found out, as it is printed, stored and sent: milliseconds since the room opened, words and digits.
// The cores' words and the schema's are the same words; a new one in a core does not compile until it is added here.

extension EventRecord {
    package init(_ event: RoomEvent, openedAt: HostTime) {
        let clock = RecordClock(openedAt: openedAt)
        switch event {
        case .player(let player): self = .player(Player(player, clock))
        case .gesture(let gesture, let controllers): self = .gesture(Gesture(gesture, controllers, clock))
        case .motion(let player, let motion):
            self = .motion(Motion(motion, player: player, at: clock.milliseconds(motion.occurredAt)))
        case .team(let gesture): self = .team(Team(gesture, clock))
        case .verdict(let verdict): self = .verdict(Verdict(verdict, clock))
        case .link(let change, let controller, let at): self = .link(Link(change, controller, at: at, clock))
        case .haptic(let haptic): self = .haptic(Haptic(haptic, clock))
        case .room(let change, let at): self = .room(Room(at: clock.milliseconds(at), state: .init(change)))
        case .asking(let controller, let name, let at):
            self = .asking(Asking(at: clock.milliseconds(at), controller: controller.description, name: name))
        case .queue(let change, let at):
            self = .queue(
                Queue(
                    at: clock.milliseconds(at), state: .init(change.state), controller: change.controller.description,
                    name: change.name, place: change.place))
        case .teaching(let progress, let at): self = .teaching(Teaching(progress, at: at, clock))
        case .shaping(let event, let controller): self = .shaping(Shaping(event, controller: controller, clock))
        case .sensor(let event, let player, let controller):
            self = .sensor(Sensor(event, player: player, controller: controller, clock))
        case .battery(let notice):
            self = .battery(
                Battery(
                    at: clock.milliseconds(notice.at), player: notice.player,
                    controller: notice.controller.description, percent: notice.percent, charging: notice.isCharging))
        case .local(let verdict):
            self = .local(
                Local(
                    at: clock.milliseconds(verdict.occurredAt), player: verdict.player,
                    controller: verdict.controller.description, gesture: verdict.gesture.rawValue,
                    id: verdict.confirmedBy?.description,
                    felt: verdict.feltAt.map { RecordClock.milliseconds($0 - verdict.occurredAt) }))
        case .submersion(let event, let player, let controller):
            self = .submersion(Submersion(event, player: player, controller: controller, clock))
        case .omitted(let omission, let player, let controller):
            self = .omitted(
                Omitted(
                    at: clock.milliseconds(omission.occurredAt), player: player, controller: controller.description,
                    count: omission.count))
        }
    }
}

/// Moments of the host's clock as records tell them.
package struct RecordClock {
    package let openedAt: HostTime

    package init(openedAt: HostTime) {
        self.openedAt = openedAt
    }

    /// Since the room opened. Saturates: a controller may claim any time at all.
    package func milliseconds(_ time: HostTime) -> Double { Self.milliseconds(time - openedAt) }

    /// In whole microseconds.
    package static func milliseconds(_ duration: Duration) -> Double {
        Double(duration.wholeNanoseconds / 1_000) / 1_000
    }

    package static func milliseconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds / 1_000) / 1_000 }
}

extension EventRecord.Player {
    package init(_ player: RoomEvent.Player, _ clock: RecordClock) {
        self.init(
            at: clock.milliseconds(player.at), player: player.player, state: .init(player.state), name: player.name,
            color: SeatColor.text(player.color), controllers: player.controllers.map(\.description))
    }
}

extension EventRecord.Queue.State {
    init(_ state: Occurrence.QueueChange.State) {
        switch state {
        case .queued: self = .queued
        case .called: self = .called
        case .seated: self = .seated
        case .lost: self = .lost
        case .left: self = .left
        }
    }
}

extension EventRecord.Player.State {
    package init(_ state: Occurrence.PlayerChange.State) {
        switch state {
        case .joined: self = .joined
        case .lost: self = .lost
        case .back: self = .back
        case .left: self = .left
        case .renamed: self = .renamed
        }
    }
}

extension EventRecord.Gesture {
    fileprivate init(_ gesture: GestureEvent, _ controllers: [ControllerID], _ clock: RecordClock) {
        self.init(
            at: clock.milliseconds(gesture.occurredAt),
            uncertainty: gesture.uncertaintyNanoseconds.map(RecordClock.milliseconds), player: gesture.player,
            gesture: gesture.gesture.rawValue, phase: .init(gesture.phase), id: gesture.id.description,
            strength: gesture.strength, confidence: gesture.confidence, controllers: controllers.map(\.description),
            measures: gesture.measures == GestureMeasures() ? nil : gesture.measures,
            source: gesture.source == .motion ? nil : gesture.source.rawValue,
            unseen: gesture.unseenNanoseconds > 0 ? RecordClock.milliseconds(gesture.unseenNanoseconds) : nil)
    }
}

extension EventRecord.Gesture.Phase {
    init(_ phase: GestureEvent.Phase) {
        switch phase {
        case .began: self = .began
        case .changed: self = .changed
        case .ended: self = .ended
        }
    }
}

extension EventRecord.Motion {
    package init(_ motion: PlayerMotion, player: Int, at: Double) {
        func list(_ axes: SIMD3<Double>) -> [Double] { [axes.x, axes.y, axes.z] }
        let (q, tilt) = (motion.attitude, motion.tilt)
        self.init(
            at: at, player: player, attitude: [q.w, q.x, q.y, q.z], gravity: list(motion.gravity),
            userAcceleration: list(motion.userAcceleration),
            lowPassedAcceleration: list(motion.lowPassedAcceleration), lowPassFactor: motion.lowPassFactor,
            rotationRate: list(motion.rotationRate),
            tilt: [tilt.x, tilt.y], stale: motion.isStale)
    }
}

extension EventRecord.Link {
    fileprivate init(
        _ change: Occurrence.LinkChange, _ controller: ControllerID, at: HostTime, _ clock: RecordClock
    ) {
        self.init(
            at: clock.milliseconds(at), player: change.player, controller: controller.description,
            state: .init(change.state), stream: change.stream.map(Int.init), transport: change.transport.rawValue,
            delay: change.delay.map { Double($0) / 1e6 },
            samplesMissing: change.samplesMissing.map(Int.init(clamping:)),
            datagramsMissing: change.datagramsMissing.map(Int.init(clamping:)))
    }
}

extension EventRecord.Link.State {
    package init(_ state: Occurrence.LinkChange.State) {
        switch state {
        case .good: self = .good
        case .poor: self = .poor
        case .silent: self = .silent
        }
    }
}

extension EventRecord.Room.State {
    package init(_ state: Occurrence.RoomChange) {
        switch state {
        case .locked: self = .locked
        case .unlocked: self = .unlocked
        case .closing: self = .closing
        case .changed: self = .changed
        }
    }
}

extension EventRecord.Teaching {
    fileprivate init(_ progress: TeachingProgress, at: HostTime, _ clock: RecordClock) {
        self.init(
            at: clock.milliseconds(at), player: progress.player, gesture: progress.gesture.rawValue, state: .example,
            shown: 0, times: progress.times, alike: progress.alike?.rawValue)
        switch progress.step {
        case .example(let shown): self.shown = shown
        case .unlike(let shown): (state, self.shown) = (.unlike, shown)
        case .abandoned: state = .abandoned
        case .finished(let gesture): (state, shown) = (.finished, gesture.examples.count)
        }
    }
}

extension EventRecord.Shaping {
    fileprivate init(_ event: ShapingEvent, controller: ControllerID, _ clock: RecordClock) {
        self.init(
            at: clock.milliseconds(event.occurredAt), player: event.player, controller: controller.description,
            phase: .init(event.phase), progress: event.progress,
            candidates: event.candidates.map {
                Candidate(gesture: $0.gesture.rawValue, likelihood: ($0.likelihood * 1_000).rounded() / 1_000)
            })
    }
}

extension EventRecord.Submersion {
    init(_ event: SubmersionEvent, player: Int, controller: ControllerID, _ clock: RecordClock) {
        let reading = event.reading
        self.init(
            at: clock.milliseconds(event.occurredAt),
            uncertainty: event.uncertaintyNanoseconds.map(RecordClock.milliseconds), player: player,
            controller: controller.description, stream: Int(event.sensor.stream), state: event.state.rawValue,
            from: event.from?.rawValue, depth: reading.depth, depthUncertainty: reading.depthUncertainty,
            pressure: reading.pressure, surfacePressure: reading.surfacePressure, temperature: reading.temperature,
            temperatureUncertainty: reading.temperatureUncertainty)
    }
}

extension EventRecord.Sensor {
    fileprivate init(_ event: SensorEvent, player: Int, controller: ControllerID, _ clock: RecordClock) {
        self.init(
            at: clock.milliseconds(event.occurredAt), player: player, controller: controller.description,
            stream: Int(event.sensor.stream), location: event.location.rawValue, state: .connected)
        switch event.change {
        case .connected: break
        case .disconnected: state = .disconnected
        case .tookOver(let former): (state, from) = (.tookOver, former.map(Int.init))
        case .problem(let problem):
            (state, self.problem, explanation) = (.problem, problem.rawValue, problem.explanation)
        }
    }
}
