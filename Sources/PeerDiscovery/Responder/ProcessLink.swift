/// Keeps a responder's process at hand: starts it, and starts it again, with growing pauses, whenever it ends or hangs.
@AvahiThread
final class ProcessLink {
    nonisolated static let noResponder =
        "the program that should serve as Roomful's own responder does not, or is of another version"

    private let role: ResponderRequest.Role
    private let changed: (ResponderLink.Change) -> Void
    private let opened = ContinuousClock.now
    private var life = ResponderLife()
    private var process: ResponderProcess?
    private var responder: RemoteResponder?
    /// Whether it has said that it is a responder, of our version.
    private var isKnown = false
    private var alarm: (time: Duration, task: Task<Void, Never>)?
    private var asked: UInt32 = 0

    init(_ role: ResponderRequest.Role, changed: @escaping (ResponderLink.Change) -> Void) {
        self.role = role
        self.changed = changed
    }

    func open() { perform(life.begin(at: now)) }

    /// What it published is withdrawn with a goodbye, by and by.
    func close() {
        process?.close()
        forget()
    }

    /// The same; `done` is called when the goodbyes are said, or after a second.
    func close(done: @escaping () -> Void) {
        guard let process else {
            forget()
            return done()
        }
        forget()
        process.finish(done: done)
    }

    private var now: Duration { ContinuousClock.now - opened }

    private func forget() {
        alarm?.task.cancel()
        alarm = nil
        process = nil
        responder = nil
    }

    private func perform(_ actions: [ResponderLife.Action]) {
        for action in actions {
            switch action {
            case .start: start()
            case .ask:
                asked &+= 1
                process?.send(.ask(asked))
            case .kill:
                process?.kill()
                lost("Roomful's own responder does not answer any more")
            }
        }
        setAlarm()
    }

    private func start() {
        isKnown = false
        do throws(ResponderProblem) {
            let process = try ResponderProcess { [weak self] in
                self?.told($0)
            } ended: { [weak self] in
                self?.ended()
            }
            self.process = process
            process.send(.hello(version: ResponderRequest.version, role))
        } catch {
            life.ended(at: now)
            lost(error.reason)
        }
    }

    private func told(_ report: ResponderReport) {
        life.heard(at: now)
        switch report {
        case .hello(let version, let problem):
            guard version == ResponderRequest.version else {
                process?.kill()
                return ended()
            }
            isKnown = true
            if let problem { changed(.missing(reason: problem.displayed)) }
        case _ where !isKnown:
            process?.kill()
            ended()
        case .ready:
            let responder = responder ?? RemoteResponder { [weak process] in process?.send($0) }
            self.responder = responder
            changed(.ready(responder))
        case .missing(let reason):
            changed(.missing(reason: reason.displayed))
        default: responder?.take(report)
        }
        setAlarm()
    }

    private func ended() {
        life.ended(at: now)
        lost(
            isKnown
                ? "Roomful's own responder ended unexpectedly"
                : Self.noResponder)
        setAlarm()
    }

    /// There is none until the next is started.
    private func lost(_ reason: String) {
        process = nil
        let rest = life.rest(from: now).map { "; it is started again in \(Int(($0 / .seconds(1)).rounded(.up))) s" }
        changed(.missing(reason: reason + (rest ?? "")))
        responder = nil
    }

    private func timePassed() {
        alarm = nil
        perform(life.advance(to: now))
    }

    /// Owned by the link and cancelled with it. One that comes too early does no harm, and each word postpones the next
    /// question: so it is only ever moved forward.
    private func setAlarm() {
        guard let next = life.nextDeadline else { return }
        if let alarm, alarm.time <= next { return }
        alarm?.task.cancel()
        let task = Task { [weak self, opened] in
            try? await Task.sleep(until: opened + next, clock: .continuous)
            if !Task.isCancelled, let self { timePassed() }
        }
        alarm = (next, task)
    }
}
