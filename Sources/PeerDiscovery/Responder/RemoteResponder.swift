internal import CAvahi

/// A responder in a process of its own, as who asks it sees it: orders go out, and what is told finds whoever asked.
@AvahiThread
final class RemoteResponder: Responder {
    private enum Listener {
        case entry((EntryNews) -> Void)
        case browser((BrowserNews) -> Void)
        case resolver((Resolution?) -> Void)

        var kind: AvahiCensus.Kind {
            switch self {
            case .entry: .entryGroup
            case .browser: .serviceBrowser
            case .resolver: .serviceResolver
            }
        }
    }

    nonisolated var backend: DiscoveryBackend { .embedded }
    private(set) var error = AvahiError.disconnected
    private var listeners: [UInt32: Listener] = [:]
    private var lastID: UInt32 = 0
    private let send: (ResponderRequest) -> Void

    init(send: @escaping (ResponderRequest) -> Void) { self.send = send }

    func publish(
        _ service: PublishedService, at entry: ServiceEntry, became: @escaping (EntryNews) -> Void
    ) throws(AvahiError) -> any PublishedEntry {
        let id = add(.entry(became))
        send(
            .publish(
                id,
                .init(
                    name: entry.name, type: entry.type, port: service.port,
                    interface: UInt32(clamping: entry.interface), strings: service.strings, subtype: service.subtype)))
        return RemoteEntry(self, id)
    }

    func browse(type: String, heard: @escaping (BrowserNews) -> Void) -> (any ResponderTask)? {
        let id = add(.browser(heard))
        send(.browse(id, type: type))
        return RemoteTask(self, id)
    }

    func resolve(
        _ sighting: Sighting, type: String, answered: @escaping (Resolution?) -> Void
    ) -> (any ResponderTask)? {
        let id = add(.resolver(answered))
        send(.resolve(id, sighting, type: type))
        return RemoteTask(self, id)
    }

    /// What is told of something that has ended, or was never asked for, concerns nobody.
    func take(_ report: ResponderReport) {
        switch report {
        case .hello, .ready, .missing, .answer: break
        case .established(let id): entry(id)?(.established)
        case .collision(let id): entry(id)?(.collision)
        case .failed(let id, let code): failed(id, AvahiError(code: code))
        case .added(let id, let sighting): browser(id)?(.added(sighting))
        case .removed(let id, let sighting): browser(id)?(.removed(sighting))
        case .unreadableName(let id): browser(id)?(.unreadableName)
        case .allForNow(let id): browser(id)?(.allForNow)
        case .resolved(let id, let target):
            resolver(id)?(
                Resolution(
                    address: target.address, port: target.port, interfaceName: interfaceName(target.interface),
                    strings: target.strings))
        case .unresolved(let id): resolver(id)?(nil)
        }
    }

    private func failed(_ id: UInt32, _ error: AvahiError) {
        self.error = error
        switch listeners[id] {
        case .entry(let became): became(.failed(error))
        case .browser(let heard): heard(.failed(error))
        case .resolver(let answered): answered(nil)
        case nil: break
        }
    }

    private func entry(_ id: UInt32) -> ((EntryNews) -> Void)? {
        if case .entry(let became) = listeners[id] { became } else { nil }
    }

    private func browser(_ id: UInt32) -> ((BrowserNews) -> Void)? {
        if case .browser(let heard) = listeners[id] { heard } else { nil }
    }

    private func resolver(_ id: UInt32) -> ((Resolution?) -> Void)? {
        if case .resolver(let answered) = listeners[id] { answered } else { nil }
    }

    private func add(_ listener: Listener) -> UInt32 {
        lastID &+= 1
        listeners[lastID] = listener
        AvahiCensus.add(1, to: listener.kind)
        return lastID
    }

    fileprivate func update(_ id: UInt32, _ strings: [[UInt8]]) throws(AvahiError) {
        guard listeners[id] != nil else { throw .badState }
        send(.update(id, strings: strings))
    }

    fileprivate func end(_ id: UInt32) {
        guard let listener = listeners.removeValue(forKey: id) else { return }
        AvahiCensus.add(-1, to: listener.kind)
        send(.end(id))
    }
}

/// Something that a responder's process does for us.
@AvahiThread
private class RemoteTask: ResponderTask {
    fileprivate final let responder: RemoteResponder
    fileprivate final let id: UInt32

    init(_ responder: RemoteResponder, _ id: UInt32) {
        self.responder = responder
        self.id = id
    }

    final func close() { responder.end(id) }
}

@AvahiThread
private final class RemoteEntry: RemoteTask, PublishedEntry {
    func update(_ strings: [[UInt8]], of _: ServiceEntry) throws(AvahiError) { try responder.update(id, strings) }
}
