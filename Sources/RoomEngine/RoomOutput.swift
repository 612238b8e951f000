public import InputMerge
public import SessionCoordinator
public import WireProtocol

/// What the shell is to do, in order. Each output stands alone.
public enum RoomOutput: Sendable {
    /// Something that a game or an operator wants to know.
    case event(RoomEvent)
    /// The answer to a ``RoomInput/command(_:_:)``.
    case answer(RequestID, Result<RoomAnswer, RoomError>)
    /// Say this on the control connection.
    case say(ConversationID, ControlMessage)
    /// Close the control connection once everything said there has left.
    case close(ConversationID)
    /// Commit these changes to disk, then say this, if anything.
    case commit([LeaseChange], thenSay: ConversationID?, ControlMessage?)
    /// Keep what a player brings along with the lease of this controller.
    case keep(ControllerID, PlayerTalents)
    /// So many seats are free now.
    case freeSeats(Int)
    /// The host's invitation to an idle controller has ended.
    case offerEnded(OfferID, OfferOutcome)
    /// A controller's own program says something to the game; the channel of newest-wins data, `nil` for a reliable
    /// message.
    case received(ControllerID, [UInt8], channel: UInt8?)
    /// A controller's own program points at a moment in the recording, if there is one; its words may be anything.
    case mark(String, at: HostTime, by: ControllerID, of: PlayerNumber)
    /// So many such marks of a controller were dropped by now, as they were too many.
    case marksDropped(Int, by: ControllerID)
    /// One sensor's motion for whoever asked for it.
    case motions(MotionBatch, to: ListenerID)
    /// No more batches come for this listener.
    case deliveryEnded(ListenerID)
}
