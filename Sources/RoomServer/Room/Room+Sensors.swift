package import InputMerge
import RoomEngine
package import WireProtocol

extension Room {
    /// The motion of one sensor, as CoreMotion pushes it: sample by sample, or in batches by the sensor's own clock.
    ///
    /// Nothing is left out and nothing comes twice; a reader that is 256 batches behind loses the oldest. The stream ends
    /// when the controller leaves, when the room closes, when somebody else asks for the same sensor, and when nobody
    /// reads it any more.
    ///
    /// - Throws: ``RoomError`` when nobody is called so, or has no such stream.
    package func motions(
        of who: String, stream: StreamID = 0, _ delivery: MotionDelivery = .batches(every: .seconds(1))
    ) async throws -> AsyncStream<MotionBatch> {
        let (listener, batches) = deliveries.open()
        do {
            _ = try await carryOut(.deliver(delivery, of: who, stream: stream, to: listener))
        } catch {
            deliveries.end(listener)
            throw error
        }
        return batches
    }
}
