internal import CAvahi
internal import Glibc

/// The process in which libavahi-core runs: does what its parent asks by a socket, and tells what comes of it.
///
/// It has neither keys nor a room. What strangers send it may end it; its parent then starts another.
@AvahiThread
final class ResponderService {
    /// Published, browsed and resolved at a time: a parent's budget of resolvers, and room to spare.
    private static let most = 2 * ResolverBudget.standardLimit
    /// If the parent is not heard for so long, this process hangs, or is forgotten by a parent that does. In seconds.
    private static let patience: UInt32 = 120
    /// Who hears of more than so many has been looking for long enough for libavahi-core's own questions.
    private static let mostOpeningQuestions = 32

    private var channel: ResponderChannel?
    private var link: EmbeddedLink?
    private var role: ResponderRequest.Role?
    private var server: (any Responder)?
    private var tasks: [UInt32: any ResponderTask] = [:]
    /// Those of them that have found something.
    private var answered: Set<UInt32> = []
    private var openingQuestions = 0
    /// What each published service is, for its updates.
    private var entries: [UInt32: ServiceEntry] = [:]

    nonisolated static func run() async -> Never {
        guard AvahiThread.isRunning else { _exit(1) }
        let service = await ResponderService()
        await service.open()
        while true { try? await Task.sleep(for: .seconds(86_400)) }
    }

    private func open() {
        roomful_responder_begin()
        alarm(Self.patience)
        channel = ResponderChannel(STDIN_FILENO, .waits) { [self] in
            took($0)
        } ended: { [self] in
            leave()
        }
    }

    /// Says goodbye for whatever is published, and ends the process.
    private func leave() -> Never {
        drop()
        link?.close()
        _exit(0)
    }

    private func tell(_ report: ResponderReport) { channel?.send(report.message) }

    private func took(_ message: ArraySlice<UInt8>) {
        // Whatever loops in libavahi ends here: nobody is left to end it when the parent is gone.
        alarm(Self.patience)
        do throws(ResponderWireError) {
            perform(try ResponderRequest(message))
        } catch {
            leave()
        }
    }

    private func perform(_ request: ResponderRequest) {
        switch request {
        case .hello(let version, let role): greet(version, role)
        case .ask(let number): tell(.answer(number))
        case .publish(let id, let service): publish(id, service)
        case .update(let id, let strings): update(id, strings)
        case .browse(let id, let type): browse(id, type)
        case .resolve(let id, let sighting, let type): resolve(id, sighting, type)
        case .end(let id): end(id)
        }
    }

    private func greet(_ version: UInt16, _ role: ResponderRequest.Role) {
        guard link == nil else { leave() }
        tell(.hello(version: ResponderRequest.version, problem: EmbeddedServer.problem))
        guard version == ResponderRequest.version else { leave() }
        let link = EmbeddedLink(role) { [weak self] in self?.linkChanged($0) }
        self.link = link
        self.role = role
        link.open()
    }

    private func linkChanged(_ change: ResponderLink.Change) {
        switch change {
        case .ready(let responder):
            server = responder
            tell(.ready)
        case .busy: break
        case .missing(let reason):
            drop()
            tell(.missing(reason: reason))
        }
    }

    private func publish(_ id: UInt32, _ service: ResponderRequest.Announcement) {
        let entry = ServiceEntry(
            name: service.name, type: service.type,
            interface: service.interface == 0
                ? AvahiIfIndex(AVAHI_IF_UNSPEC) : AvahiIfIndex(clamping: service.interface))
        let published = PublishedService(
            type: service.type, port: service.port, strings: service.strings, subtype: service.subtype)
        do throws(AvahiError) {
            guard let server, mayStart(id) else { throw .badState }
            tasks[id] = try server.publish(published, at: entry) { [weak self] in self?.became(id, $0) }
            entries[id] = entry
        } catch {
            tell(error == .collision ? .collision(id) : .failed(id, code: error.code))
        }
    }

    private func update(_ id: UInt32, _ strings: [[UInt8]]) {
        guard let entry = entries[id], let published = tasks[id] as? any PublishedEntry else { return }
        do throws(AvahiError) {
            try published.update(strings, of: entry)
        } catch {
            tell(.failed(id, code: error.code))
        }
    }

    private func browse(_ id: UInt32, _ type: String) {
        start(id) { $0.browse(type: type) { [weak self] in self?.heard(id, $0) } }
        let interface = role?.interface
        open(id, after: OpeningQuestion.pause()) { OpeningQuestion(type: type).ask(on: interface) }
    }

    private func resolve(_ id: UInt32, _ sighting: Sighting, _ type: String) {
        start(id) { $0.resolve(sighting, type: type) { [weak self] in self?.resolved(id, sighting, $0) } }
        open(id, after: OpeningQuestion.patience) {
            OpeningQuestion(resolving: sighting.instance, type: type).ask(at: sighting)
        }
    }

    /// Asks, and once more a little later: who shares the port on this machine, and is about to end, may have the answer.
    /// Not if something has come by then.
    private func open(_ id: UInt32, after pause: Duration, _ ask: @escaping () -> Void) {
        Task { [weak self] in
            for wait in [pause, OpeningQuestion.secondPause] {
                try? await Task.sleep(for: wait)
                guard let self, tasks[id] != nil, !answered.contains(id),
                    openingQuestions < Self.mostOpeningQuestions
                else { return }
                openingQuestions += 1
                ask()
            }
        }
    }

    private func start(_ id: UInt32, _ task: (any Responder) -> (any ResponderTask)?) {
        guard let server, mayStart(id), let task = task(server) else {
            return tell(.failed(id, code: (server?.error ?? .badState).code))
        }
        tasks[id] = task
    }

    private func mayStart(_ id: UInt32) -> Bool { tasks[id] == nil && tasks.count < Self.most }

    private func end(_ id: UInt32) {
        entries[id] = nil
        answered.remove(id)
        tasks.removeValue(forKey: id)?.close()
    }

    private func drop() {
        for task in tasks.values { task.close() }
        tasks = [:]
        answered = []
        openingQuestions = 0
        entries = [:]
        server = nil
    }

    private func became(_ id: UInt32, _ news: EntryNews) {
        switch news {
        case .established: tell(.established(id))
        case .collision: tell(.collision(id))
        case .failed(let error): tell(.failed(id, code: error.code))
        }
    }

    private func heard(_ id: UInt32, _ news: BrowserNews) {
        switch news {
        case .added(let sighting):
            answered.insert(id)
            tell(.added(id, sighting))
        case .removed(let sighting): tell(.removed(id, sighting))
        case .unreadableName: tell(.unreadableName(id))
        case .allForNow: tell(.allForNow(id))
        case .failed(let error): tell(.failed(id, code: error.code))
        }
    }

    private func resolved(_ id: UInt32, _ sighting: Sighting, _ resolution: Resolution?) {
        guard let resolution else { return tell(.unresolved(id)) }
        answered.insert(id)
        tell(
            .resolved(
                id,
                .init(
                    address: resolution.address, port: resolution.port, interface: sighting.interface,
                    strings: resolution.strings)))
    }
}
