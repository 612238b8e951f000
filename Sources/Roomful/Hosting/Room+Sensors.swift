public import InputMerge
public import WireProtocol

extension Room {
    /// The motion of one sensor, as CoreMotion pushes it: sample by sample, or in batches by the sensor's own clock.
    ///
    /// Nothing is left out and nothing comes twice; a reader that is 256 batches behind loses the oldest. The stream ends
    /// when the controller leaves, when somebody else asks for the same sensor, and when nobody reads it any more.
    ///
    /// - Throws: ``RoomError`` when nobody is called so, or has no such stream.
    public func motions(
        of who: String, stream: StreamID = 0, _ delivery: MotionDelivery = .batches(every: .seconds(1))
    ) async throws -> AsyncStream<MotionBatch> {
        let (batches, continuation) = AsyncStream.makeStream(
            of: MotionBatch.self, bufferingPolicy: .bufferingNewest(256))
        _ = try await ask(.deliver(delivery, of: who, stream: stream, to: continuation)).get()
        return batches
    }
}
