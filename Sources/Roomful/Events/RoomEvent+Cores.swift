import InputMerge
import SessionCoordinator

// The cores' words and the schema's are the same words; a new one in a core does not compile until it is added here.

extension RoomEvent.Player.State {
    init(_ state: Occurrence.PlayerChange.State) {
        switch state {
        case .joined: self = .joined
        case .lost: self = .lost
        case .back: self = .back
        case .left: self = .left
        case .renamed: self = .renamed
        }
    }
}

extension RoomEvent.Link.State {
    init(_ state: Occurrence.LinkChange.State) {
        switch state {
        case .good: self = .good
        case .poor: self = .poor
        case .silent: self = .silent
        }
    }
}

extension RoomEvent.Room.State {
    init(_ state: Occurrence.RoomChange) {
        switch state {
        case .locked: self = .locked
        case .unlocked: self = .unlocked
        case .closing: self = .closing
        }
    }
}

extension RoomEvent.Gesture.Phase {
    init(_ phase: GestureEvent.Phase) {
        switch phase {
        case .began: self = .began
        case .changed: self = .changed
        case .ended: self = .ended
        }
    }
}

extension RoomEvent.Motion {
    init(_ motion: PlayerMotion, player: Int, at: Double) {
        func list(_ axes: SIMD3<Double>) -> [Double] { [axes.x, axes.y, axes.z] }
        let (q, tilt) = (motion.attitude, motion.tilt)
        self.init(
            at: at, player: player, attitude: [q.w, q.x, q.y, q.z], gravity: list(motion.gravity),
            userAcceleration: list(motion.userAcceleration), rotationRate: list(motion.rotationRate),
            tilt: [tilt.x, tilt.y], stale: motion.isStale)
    }
}
