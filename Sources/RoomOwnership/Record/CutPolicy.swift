/// What an owner does when it cannot reach the room's log: `--when-cut`.
///
/// It stands in every record, so that a standby that has read the newest one knows whether silence may be answered by a
/// claim. The owner goes by what the log holds, never by what it only wants.
package enum CutPolicy: UInt8, Hashable, Sendable, CaseIterable {
    /// Goes on, uncommitted: nobody may claim the room because it is silent, only because an operator says so.
    case play = 0
    /// Stops acting once its newest acknowledged record is as old as the fence: a standby may claim the silent room.
    case yield = 1
}
