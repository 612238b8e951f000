internal import CAvahi

/// Who wants to know what a ``ServiceSearch`` hears.
@AvahiThread
protocol SearchListener: AnyObject {
    func heard(_ event: DiscoveryEvent)
    /// An announcement whose name could not even be represented.
    func heardUnreadableName()
    /// Whether an announcement is worth resolving.
    func wants(_ sighting: Sighting) -> Bool
    func searchBecame(_ availability: DiscoveryAvailability, by backend: DiscoveryBackend?)
}

/// Browses and resolves one type of service, through whichever responder there is.
@AvahiThread
final class ServiceSearch {
    private let type: String
    private weak var listener: (any SearchListener)?
    private var budget = ResolverBudget()
    private var responder: (any Responder)?
    private var browser: (any ResponderTask)?
    /// Whether a browser was asked for, had or refused.
    private var isBrowsing = false
    private var resolvers: [Sighting: any ResponderTask] = [:]
    private let link: ResponderLink

    /// - Parameters:
    ///   - type: a DNS-SD type, or the whole subtype.
    ///   - interface: the name of the only one to listen on; nil for all. avahi-daemon listens where it was told to.
    init(type: String, mode: DiscoveryMode, interface: String?, listener: any SearchListener) {
        self.type = type
        self.listener = listener
        link = ResponderLink(mode, ResponderRequest.Role(publishes: false, interface: interface))
    }

    func open() { link.open { [weak self] in self?.linkChanged($0) } }

    func close() {
        drop()
        link.close()
    }

    /// Asks anew for everything that is announced.
    func browseAnew() {
        guard let responder else { return }
        drop()
        listener?.heard(.backendLost)
        browse(responder)
    }

    private func linkChanged(_ change: ResponderLink.Change) {
        switch change {
        case .ready(let responder):
            // The daemon says so again after each change of its own name, which concerns nobody who only listens.
            guard responder !== self.responder || !isBrowsing else { return }
            if isBrowsing {
                drop()
                listener?.heard(.backendLost)
            }
            browse(responder)
        case .busy: break
        case .missing(let reason):
            drop()
            listener?.heard(.backendLost)
            listener?.searchBecame(.unavailable(reason: reason), by: nil)
        }
    }

    private func browse(_ responder: any Responder) {
        self.responder = responder
        browser = responder.browse(type: type) { [weak self] in self?.browserHeard($0) }
        isBrowsing = true
        listener?.searchBecame(
            browser != nil ? .running : .unavailable(reason: "the \(responder.backend) refuses: \(responder.error)"),
            by: responder.backend)
    }

    private func browserHeard(_ news: BrowserNews) {
        guard let listener else { return }
        switch news {
        case .added(let sighting):
            listener.heard(.added(sighting))
            if listener.wants(sighting) { perform(budget.request(sighting)) }
        case .removed(let sighting):
            listener.heard(.removed(sighting))
            perform(budget.withdraw(sighting))
        case .unreadableName: listener.heardUnreadableName()
        case .allForNow: listener.heard(.allForNow)
        case .failed(let error):
            listener.searchBecame(.unavailable(reason: "browsing was stopped: \(error)"), by: responder?.backend)
        }
    }

    private func perform(_ actions: [ResolverBudget.Action]) {
        for action in actions {
            switch action {
            case .open(let sighting): resolve(sighting)
            case .close(let sighting): resolvers.removeValue(forKey: sighting)?.close()
            }
        }
    }

    private func resolve(_ sighting: Sighting) {
        guard let responder else { return }
        let resolver = responder.resolve(sighting, type: baseType) { [weak self] in self?.resolved(sighting, $0) }
        resolvers[sighting] = resolver
        // A refusal comes late like an answer, so that the budget is not called from within its own actions.
        if resolver == nil { AvahiThread.later { [weak self] in self?.resolved(sighting, nil) } }
    }

    private func resolved(_ sighting: Sighting, _ resolution: Resolution?) {
        listener?.heard(resolution.map { .resolved(sighting, $0) } ?? .unresolved(sighting))
        perform(budget.settle(sighting))
    }

    /// An instance belongs to the type, whatever subtype it was found under (RFC 6763, 7.1).
    private var baseType: String {
        type.firstRange(of: "._sub.").map { String(type[$0.upperBound...]) } ?? type
    }

    /// Lets go of everything in the responder.
    private func drop() {
        for resolver in resolvers.values { resolver.close() }
        resolvers = [:]
        budget = ResolverBudget()
        browser?.close()
        browser = nil
        isBrowsing = false
        responder = nil
    }
}
