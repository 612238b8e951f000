import Logging
import Synchronization

/// The door of a room that has opening hours.
extension Room {
    /// Locks and unlocks the room as its hours say, once a second until it closes.
    ///
    /// Only when an hour strikes: what the operator does in between stands until the next. Who has a seat keeps it.
    package func keepHours() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while (try? await Task.sleep(for: .seconds(1))) != nil { await self.mindDoor() }
            }
            await untilClosed()
            group.cancelAll()
        }
    }

    /// Looks at the clock: nobody may slip in before a room that opens in its closed hours is locked.
    package func mindDoor() async {
        let hours = options.hours
        let minute = OpeningHours.localMinute()
        let isOpen = hours?.isOpen(at: minute) ?? true
        guard isOpenByHours.exchange(isOpen, ordering: .relaxed) != isOpen else { return }
        if isOpen {
            await unlock()
            logger.notice("\"\(name)\" is open, by its hours")
        } else {
            await lock()
            let next = hours?.nextOpening(after: minute).map { "; it opens on \($0)" } ?? ""
            logger.notice("\"\(name)\" is closed to newcomers, by its hours\(next). In between: roomful unlock")
        }
    }
}
