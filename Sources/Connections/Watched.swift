internal import Synchronization

/// A value that one side changes and others wait for: always the newest, however many changes there were.
///
/// Nothing queues up, so whoever is slow or hostile on one side costs the other nothing.
package final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let id: Int
        let condition: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Value?, Never>
    }

    private struct Contents {
        var value: Value
        var waiters: [Waiter] = []
        var nextID = 0
    }

    private let contents: Mutex<Contents>

    package init(_ value: Value) { contents = Mutex(Contents(value: value)) }

    package var value: Value { contents.withLock { $0.value } }

    /// Changes the value and wakes those whose condition holds now.
    @discardableResult
    package func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        let (result, value, woken) = contents.withLock { contents in
            let result = body(&contents.value)
            let value = contents.value
            // Nearly always nobody's condition holds, or everybody's.
            guard contents.waiters.contains(where: { $0.condition(value) }) else { return (result, value, [Waiter]()) }
            var (woken, waiting): ([Waiter], [Waiter]) = ([], [])
            for waiter in contents.waiters {
                if waiter.condition(value) { woken.append(waiter) } else { waiting.append(waiter) }
            }
            contents.waiters = waiting
            return (result, value, woken)
        }
        for waiter in woken { waiter.continuation.resume(returning: value) }
        return result
    }

    /// The value as soon as the condition holds; `nil` if the task is cancelled before.
    package func first(where condition: @escaping @Sendable (Value) -> Bool) async -> Value? {
        let id = contents.withLock { contents in
            contents.nextID += 1
            return contents.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: Value?? = contents.withLock { contents in
                    if condition(contents.value) { return .some(contents.value) }
                    if Task.isCancelled { return .some(nil) }
                    contents.waiters.append(Waiter(id: id, condition: condition, continuation: continuation))
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            let waiter = contents.withLock { contents in
                contents.waiters.firstIndex { $0.id == id }.map { contents.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(returning: nil)
        }
    }

    /// The same, but `nil` also when `limit` has passed.
    package func first(within limit: Duration, where condition: @escaping @Sendable (Value) -> Bool) async -> Value? {
        await withTaskGroup(of: Value?.self) { race in
            race.addTask { await self.first(where: condition) }
            race.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            defer { race.cancelAll() }
            return await race.next() ?? nil
        }
    }
}
