/// Something that the merge found out.
public enum MergeEvent: Hashable, Sendable {
    case gesture(GestureEvent)
    case teaching(TeachingProgress)
}
