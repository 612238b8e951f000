import Connections
import ControlPort
import Datagrams
import Foundation
import Identity
import LeaseStorage
import Logging
import PeerDiscovery
import PrivateFiles
import RoomRecords
import SessionCoordinator
import Synchronization
import WireProtocol

extension Room {
    /// Returns when the room has closed: by ``stop(backIn:)``, by its operator, or because its task was cancelled.
    public func untilClosed() async {
        await withTaskCancellationHandler {
            await loop.wait()
        } onCancel: {
            stop()
        }
    }

    /// Advertises the room, makes its calls and keeps its certificate and its addresses, until it is closed.
    package func run() async {
        async let advertised: Void = advertise()
        async let called: Void = makeCalls()
        async let kept: Void = keepCertificate()
        async let ended: Void = endStreams()
        _ = await (advertised, called, kept, ended)
    }

    /// Ends what the game reads and waits for once the room's thread has ended, as its events end then: a game may wait
    /// for just that, and ``close()`` comes after it.
    private func endStreams() async {
        await loop.wait()
        discoveryNews.finish()
        deliveries.endAll()
        received.finish()
        offers.endAll()
    }

    /// Ends what runs: peers are told first, then everything that ``run()`` does comes to its end.
    package func close() async {
        stop()
        foundation.store.hurry()
        // Both hold the room.
        fronts.withLock { $0 = nil }
        reloading.withLock { $0 = nil }
        useMessenger(nil)
        await loop.wait()
        options.tenure?.onChange(nil)
        await stopRecording()
        offers.finish()
        await nearby?.stop()
        doorSign.end()
        outbox.finish()
    }

    /// Gives back what the next room needs: the folder, and the connections, once they are closed.
    package func release() {
        foundation.release()
        grant.release()
    }

    /// Writes leases, then says on control connections what hung on them; returns once the room has closed and all is
    /// said.
    package func deliver() async {
        // In a task that nobody cancels: it would end before the farewells of the room that is closed for it.
        await Task { await deliverAll() }.value
    }

    private func deliverAll() async {
        let tenure = options.tenure
        let again = Task { [debts, foundation] in
            while (try? await Task.sleep(for: DiskDebts.interval)) != nil {
                debts.tryAgain()
                debts.tidy()
                foundation.noteAlive()
            }
        }
        await outbox.run { changes in
            await debts.save(changes)
            tenure?.keep(changes)
        } perform: { item in
            switch item {
            case .commit(_, let conversation?, let message?), .say(let conversation, let message):
                let (conversation, message): (ConversationID, ControlMessage) = (conversation, message)
                conversations.say(message, to: conversation)
            case .commit: break
            case .keep(let controller, let talents):
                tenure?.keep(talents, of: controller)
                debts.keep(talents, of: controller)
            case .close(let conversation): conversations.close(conversation)
            case .recorded: conversations.tell(isRecorded: recording.isRecording)
            case .door(let isLocked): keepDoor(isLocked: isLocked)
            case .banned(let controllers): keepBans(controllers)
            }
        }
        received.finish()
        leaveDoor()
        let forgets = forgetsPeople
        if forgets { await leaveSeats() }
        again.cancel()
        // A disk that refused may have room by now.
        await debts.settle()
        foundation.noteAlive()
        await leaveDatabase(empty: forgets)
    }

    /// A host that ends keeps everybody's seat for the next one; but nobody's name outlives a room that its operator
    /// closed.
    private var forgetsPeople: Bool {
        isClosedForGood.load(ordering: .relaxed) && !comesBack.load(ordering: .relaxed)
            && options.tenure?.isOver != true
    }

    private func leaveSeats() async {
        let gone = debts.seated.map { LeaseChange.remove($0) }
        guard !gone.isEmpty else { return }
        options.tenure?.keep(gone)
        await debts.save(gone)
    }

    /// Gives the database back; where nobody shall be left in it, whoever closed the room hears whether that is so.
    private func leaveDatabase(empty isEmptied: Bool) async {
        var problem: StorageError?
        do throws(StorageError) {
            if isEmptied { try await removeRest() }
        } catch { problem = error }
        do throws(StorageError) {
            // Before that, SQLite's log and pages have those who were removed.
            try foundation.store.close()
        } catch { problem = problem ?? error }
        guard isEmptied else {
            let refusal = RoomError(
                .closed, "the room closes, but keeps all seats: it was told so before, or is another host's by now")
            return forgetting.withLock { $0 = .failure(refusal) }
        }
        guard let problem else { return forgetting.withLock { $0 = .success(()) } }
        let refusal = RoomError(
            .closed,
            "the room closes, but names and what was taught may stay in \(foundation.folder.path): \(problem.complaint). "
                + "Once that is mended, say: roomful erase --all --room \(shellWord(name)); of a service, start it and "
                + "stop it again")
        logger.error("\(refusal)")
        forgetting.withLock { $0 = .failure(refusal) }
    }

    /// - Throws: what the disk says, which has not taken it before.
    private func removeRest() async throws(StorageError) {
        try foundation.folder.removeRemains()
        let left = debts.seated.map { LeaseChange.remove($0) }
        if !left.isEmpty { try await foundation.store.save(left) }
    }

    package func untilForgotten() async throws {
        let deadline = ContinuousClock.now + Self.forgettingLimit
        while ContinuousClock.now < deadline {
            if let outcome = forgetting.withLock({ $0 }) { return try outcome.get() }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw RoomError(
            .closed,
            "the room closes, but has not said for \(Int(Self.forgettingLimit / .seconds(1))) s that nobody is kept in "
                + "\(foundation.folder.path): its log says whether that failed")
    }

    /// A database that another program holds is waited for less.
    private static let forgettingLimit: Duration = .seconds(10)

    /// Shows the certificate as it is now, the operator's or the room's own, until the room closes.
    private func keepCertificate() async {
        if let change = foundation.tls.lookAtTime() { note(change) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                await foundation.tls.keepCurrent(isSynchronised: { WallClock.isSynchronised == true }) { note($0) }
            }
            group.addTask { [self] in await keepAddresses() }
            await untilClosed()
            group.cancelAll()
        }
    }

    /// Sends people to where the machine is now: it may get its address after the room was opened, and others later.
    private func keepAddresses() async {
        // An evening of another day is shown as it was.
        guard options.replay == nil else { return }
        var watch = AddressWatch()
        while (try? await Task.sleep(for: AddressWatch.interval)) != nil {
            let known = standing.withLock { $0.addresses }
            let wasLost = watch.isLost
            let moved = watch.look(
                ServerNames.current().reachable, known: known, isAmongOthers: ServerNames.areAmongOthers)
            // Who came by another of its addresses may be heard as before.
            let hasMoved = known.first.map { moved?.contains($0) == false } ?? false
            networkNotes.withLock { $0.note(isLost: watch.isLost, hasMoved: hasMoved, at: HostClock.now()) }
            if watch.isLost != wasLost { note(networkIsLost: watch.isLost) }
            // It is there before anybody comes for it.
            let due = Array((moved ?? known).prefix(Ticket.mostAddresses))
            if let change = foundation.tls.renewIfDue(for: due) { note(change) }
            if let moved { move(to: moved) }
        }
    }

    private func note(networkIsLost isLost: Bool) {
        if isLost {
            logger.warning("this machine is in no network any more: who is lost from now on is lost by that")
        } else {
            logger.notice("this machine is in a network again")
        }
    }

    private func note(_ change: TLSSource.Change) {
        switch change {
        case .reloaded(let ends):
            logger.notice("the certificate was read anew; it ends on \(ends.formatted(.iso8601))")
        case .renewed(let reason, let ends):
            logger.notice(
                "the certificate was made anew, as \(reason); it ends on \(ends.formatted(.iso8601)). Phones ask again")
        case .kept(let reason):
            logger.error("the certificate's files have changed, and the old one stays: \(reason)")
        case .notRenewed(let reason): logger.error("the certificate could not be made anew: \(reason)")
        case .waits:
            let words =
                "the room's certificate begins later than this machine's clock shows: the clock is behind, or was ahead "
                + "when the certificate was made. Until then browsers call it not valid yet; once a time service has set "
                + "the clock, or this program has run for a day, it is made anew by the clock as it is then"
            logger.warning("\(words)")
        case .late(let ends):
            logger.warning("the certificate ends on \(ends.formatted(.iso8601)); renew it")
        case .untimely(let reason):
            logger.error(
                "\(reason) (it is shown all the same: browsers warn of it, native controllers go by the room's pin)")
        }
    }

    /// Keeps the room published, and what is said of its free seats and its door true.
    private func advertise() async {
        guard options.discovery != .none else {
            discovery.withLock { $0.isOff = true }
            for await _ in doorSign.words {}
            return
        }
        let advertiser = RoomAdvertiser(
            name: foundation.name, port: port,
            record: foundation.record(DoorSign.Word(freeSeats: options.seats), options: options),
            interface: options.interface, discovery: options.discovery)
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in
                for await state in advertiser.states { note(state) }
            }
            for await word in doorSign.words {
                await advertiser.update(foundation.record(word, options: options))
            }
            await advertiser.stop()
        }
    }

    private func note(_ state: AdvertiserState) {
        let line = discovery.withLock { $0.note(state) }
        switch state {
        case .serving, .registering: break  // On the way to something.
        default: discoveryNews.yield(line)
        }
        logger.info("discovery: \(line)")
    }
}
