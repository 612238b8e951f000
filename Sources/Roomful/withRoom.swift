import MetricsFront
import OperatorFront
public import RoomServer

/// Opens a room, runs it while `body` does its work, and closes it: everyone is told, nothing stays advertised.
///
/// ```swift
/// try await withRoom(RoomOptions(name: "Living Room", policy: .open)) { room in
///     for await event in await room.events() { print(event) }
/// }
/// ```
///
/// - Throws: what `body` throws, or why the room cannot be opened: one line that says what to do.
public func withRoom<Result: Sendable>(
    _ options: RoomOptions, body: (Room) async throws -> Result
) async throws -> Result {
    if options.site?.key != nil, options.tenure == nil {
        throw RoomError(
            .badOption, "a room that can outlive its host is hosted by the program: roomful host … --site-key")
    }
    let room = try Room(options)
    // Where another host goes on with it nobody is sent away, and its door stays as it is.
    func failed() { if options.tenure != nil { room.stop(backIn: .seconds(1)) } }
    let fronts: RoomFronts
    do {
        await room.openDoor()
        fronts = try await RoomFronts(room)
    } catch {
        failed()
        await room.close()
        room.dropRecording()
        await room.deliver()
        // As below: who mends what was wrong opens it again at once.
        room.release()
        throw error
    }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            await room.deliver()
            // Whoever is told something hears it before its connection ends.
            await fronts.closePorts()
        }
        group.addTask { await room.run() }
        group.addTask { await fronts.run() }
        group.addTask { await room.keepHours() }
        let outcome: Swift.Result<Result, any Error>
        do {
            outcome = .success(try await body(room))
        } catch {
            outcome = .failure(error)
            failed()
        }
        await fronts.closeMetrics()
        await room.close()
        fronts.closeSite()
        try await group.waitForAll()
        // Who opens it next needs not wait until the last task has let go of this one.
        room.release()
        return try outcome.get()
    }
}
