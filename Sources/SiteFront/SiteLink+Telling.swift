import Foundation
import RoomRecords
import SiteBroker
import SiteRecords

/// What a room tells its site, and how it answers.
extension SiteLink {
    /// Whose records these are; `nil` once the room has closed.
    func signed() async -> SiteSigner? {
        if let signer { return signer }
        guard let status = await status() else { return nil }
        let opening = await room.events(after: nil, motion: false).opening
        if signer == nil { signer = SiteSigner(options.site, status, openedOn: opening.openedOn, tenure) }
        return signer
    }

    private func status() async -> RoomStatus? { try? await room.answer(OperatorRequest(.status)).status }

    /// Every event from the room's first on goes to the spool; ends when the room closes.
    func tellEvents() async {
        guard let signer = await signed() else { return }
        let first = tenure?.lastEvent ?? 0
        var (last, isOver) = (first, false)
        // Who could take nothing for half a minute is let go, and asks anew after the last that it has.
        while !isOver {
            let events = await room.events(after: last, motion: false).records
            for await record in events {
                if case .hello = record, last > first { continue }
                last = record.number ?? last
                if let payload = signer.event(record, number: last) { spool.append(number: last, payload: payload) }
                noteNews(record)
                mailbox.ring()
            }
            isOver = !events.wasLetGo
        }
    }

    private func noteNews(_ record: EventRecord) {
        switch record {
        case .player, .room, .asking, .queue: hasNews = true
        default: break
        }
    }

    /// Whether the room is this host's at this moment: else another one may speak for it.
    var speaksForRoom: Bool { tenure?.mayAct ?? true }

    /// Once a second, and a quarter of a second after something has changed.
    func tellStatus() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(250))
            mailbox.ring()
            guard hasNews || ContinuousClock.now - toldAt >= .seconds(1) else { continue }
            (hasNews, toldAt) = (false, .now)
            note()
            await publishStatus(isClosing: false)
        }
    }

    private func publishStatus(isClosing: Bool) async {
        guard isConnected, speaksForRoom, let signer, let status = await status(), status.isSilent != true,
            speaksForRoom, let connection
        else { return }
        // Where the operator is asked, nobody comes in by a lobby.
        let takesGuests = options.lobby != nil && status.policy != "ask"
        let word = SiteRoom(status, by: signer, isClosing: isClosing, buffer: standing, takesGuests: takesGuests)
        guard let payload = try? JSONEncoder().encode(word) else { return }
        // The newest wins: what cannot be said now is said anew in a second.
        try? connection.publish(Array(payload), to: subjects.status(signer.room))
    }

    /// Everybody's motion, for as long as somebody has asked for it within the last 10 s.
    func tellMotion() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(250))
            guard isMotionWanted, let signer else { continue }
            for await record in await room.events(after: nil, motion: true).records {
                guard isMotionWanted, let connection else { break }
                guard speaksForRoom else { continue }
                guard case .motion(let motion) = record, let payload = try? JSONEncoder().encode(record) else {
                    continue
                }
                try? connection.publish(Array(payload), to: subjects.motion(signer.room, player: motion.player))
            }
        }
    }

    private var isMotionWanted: Bool {
        isConnected && (options.publishesMotion || ContinuousClock.now < motionWantedUntil)
    }

    /// Answers operators and other hosts.
    func answerAll() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.answerAsks() }
            group.addTask { await self.answerHosts() }
        }
    }

    /// Answers operators, some at once.
    func answerAsks() async {
        let door = SiteDoor(room: room, tenure: tenure)
        await withDiscardingTaskGroup { group in
            for await message in mailbox.asks {
                guard let reply = message.reply, let connection, speaksForRoom else { continue }
                guard answering < SiteDoor.most else {
                    try? connection.publish(
                        SiteDoor.refusal("this room answers as many commands as it can: ask again"), to: reply)
                    continue
                }
                answering += 1
                group.addTask {
                    let answer = await door.answer(message.payload, atMost: connection.longestPayload)
                    await self.send(answer, to: reply)
                }
            }
        }
    }

    private func send(_ answer: SiteDoor.Answer, to reply: String) {
        answering -= 1
        try? connection?.publish(answer.payload, to: reply)
        if answer.mayBeNews { hasNews = true }
    }

    /// What still waits is handed over, and answers go out, for 2 s at most; then the site hears that the room closes.
    func sayGoodbye() async {
        for _ in 0..<40 where isConnected && (!spool.isEmpty || answering + answeringHosts > 0) {
            mailbox.ring()
            try? await Task.sleep(for: .milliseconds(50))
        }
        // Where another host goes on, the room does not close.
        if tenure?.isHandover != true { await publishStatus(isClosing: true) }
        connection?.flush()
    }
}
