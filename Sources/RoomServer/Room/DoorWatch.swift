import WireProtocol

/// From one look at the clock to the next: when a room's hours decide anew who is let in.
struct DoorWatch {
    private var last: (at: Int, minute: Int, isOpen: Bool)?
    /// How an earlier host left the door, until it is heard that it is so again.
    var restored: KeptDoor?
    /// Until when stands what the operator decided, in seconds since 1970; `nil` where nothing of theirs does.
    var until: Int?
    /// Whom the room's folder names as kept out.
    var banned: [ControllerID] = []

    /// The door is as its operator left it, whatever the hours say.
    mutating func begin(_ hours: OpeningHours?, at now: Int, minute: Int, until: Int?) {
        last = (now, minute, hours?.isOpen(at: minute) ?? true)
        self.until = until
    }

    /// Looks at the clock.
    ///
    /// A machine that slept, or whose clock was set, may find the hours as it left them, and an hour has struck since.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - minute: the same moment, since Monday 0:00, local time.
    /// - Returns: whether people are let in from now on; `nil` while the hours have decided nothing.
    mutating func look(_ hours: OpeningHours?, at now: Int, minute: Int) -> Bool? {
        let (before, isOpen) = (last, hours?.isOpen(at: minute) ?? true)
        last = (now, minute, isOpen)
        guard let before else { return isOpen ? nil : false }
        if isSet(from: before.at, to: now), isOpen != before.isOpen { return nil }
        guard isOpen != before.isOpen || hasLeapt(hours, from: before.at, before.minute, to: now, minute) else {
            return nil
        }
        until = nil
        return isOpen
    }

    /// The clock was set, and to well before the end of what the operator decided: the hours were others by the clock
    /// of before, as after a boot, and none has struck. An hour is for the nights on which clocks are set.
    private func isSet(from before: Int, to now: Int) -> Bool {
        guard let until else { return false }
        return !(0...60).contains(now - before) && until - now > 3_600
    }

    /// Over the end of what the operator decided, and over a strike by the minutes that people's clocks went on: on the
    /// night on which clocks are set an hour, that end was foretold an hour off.
    private func hasLeapt(
        _ hours: OpeningHours?, from before: Int, _ earlier: Int, to now: Int, _ minute: Int
    ) -> Bool {
        guard let until, now >= until, let strike = hours?.minutesToStrike(after: earlier) else { return false }
        let real = now / 60 - before / 60
        // By how much local time was set meanwhile: of a minute of the week, the nearest.
        let (week, half) = (10_080, 5_040)
        let set = (((minute - earlier - real + half) % week) + week) % week - half
        return real + set >= strike
    }
}
