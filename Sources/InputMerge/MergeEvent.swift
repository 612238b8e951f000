/// Something that the merge found out.
public enum MergeEvent: Hashable, Sendable {
    /// A player's gesture began, changed or ended.
    case gesture(GestureEvent)
    /// A motion goes on that may become a gesture which its player taught.
    case shaping(ShapingEvent)
    /// What a team did because its players did.
    case team(TeamGestureEvent)
    /// Who was first; final.
    case verdict(Verdict)
    /// A player's lesson goes on.
    case teaching(TeachingProgress)
    /// A sensor came, went, took over, or sends what cannot be right.
    case sensor(SensorEvent)
    /// A device came into the water, went deeper or rose, or is out of it again; under water once a second how deep it is.
    case submersion(SubmersionEvent)
    /// Something was left out of all this, as one controller asked for too much of it.
    case omitted(Omission)
    /// Motion of one sensor, for whoever asked for it to be pushed.
    case motions(MotionBatch)
}
