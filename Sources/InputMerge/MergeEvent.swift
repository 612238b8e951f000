/// Something that the merge found out.
public enum MergeEvent: Hashable, Sendable {
    case gesture(GestureEvent)
    /// What a team did because its players did.
    case team(TeamGestureEvent)
    /// Who was first; final.
    case verdict(Verdict)
    case teaching(TeachingProgress)
    case sensor(SensorEvent)
    case motions(MotionBatch)
}
