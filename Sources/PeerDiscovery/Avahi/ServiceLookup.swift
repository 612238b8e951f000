internal import CAvahi

/// Listens for the announcements of one type of service.
@AvahiThread
final class ServiceBrowser: AvahiObject, ResponderTask {
    private let responder: any AvahiCalls
    private let happened: (BrowserNews) -> Void

    /// `isOpen` is false if the responder gave no browser. `happened` is never called once it is closed.
    init(_ responder: any AvahiCalls, type: String, happened: @escaping (BrowserNews) -> Void) {
        self.responder = responder
        self.happened = happened
        super.init(.serviceBrowser) { responder.freeBrowser($0) }
        adopt(responder.newBrowser(type: type, context))
    }

    fileprivate func heard(_ news: BrowserNews) {
        if isOpen { happened(news) }
    }

    fileprivate func hasFailed() { heard(.failed(responder.error)) }
}

/// Asks where an announcement leads, and keeps listening for changes of the answer.
@AvahiThread
final class ServiceResolver: AvahiObject, ResponderTask {
    /// Nil when there is no answer.
    private let answered: (Resolution?) -> Void
    fileprivate nonisolated let stringsAreReversed: Bool

    /// `isOpen` is false if the responder gave no resolver. `answered` is never called once it is closed.
    init(
        _ responder: any AvahiCalls, _ sighting: Sighting, type: String, answered: @escaping (Resolution?) -> Void
    ) {
        self.answered = answered
        stringsAreReversed = responder.handsOutStringsReversed
        super.init(.serviceResolver) { responder.freeResolver($0) }
        adopt(responder.newResolver(sighting, type: type, context))
    }

    fileprivate func heard(_ resolution: Resolution?) {
        if isOpen { answered(resolution) }
    }
}

/// What the browsers of every responder call.
func browserHeard(
    _: OpaquePointer?, _ interface: AvahiIfIndex, _ version: AvahiProtocol, _ event: AvahiBrowserEvent,
    _ name: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: AvahiLookupResultFlags,
    _ context: UnsafeMutableRawPointer?
) {
    guard let context else { return }
    let browser = Unmanaged<ServiceBrowser>.fromOpaque(context).takeUnretainedValue()
    let news: BrowserNews?
    switch event {
    case AVAHI_BROWSER_NEW: news = sighting(name, interface, version).map { .added($0) } ?? .unreadableName
    case AVAHI_BROWSER_REMOVE: news = sighting(name, interface, version).map { .removed($0) }
    case AVAHI_BROWSER_ALL_FOR_NOW: news = .allForNow
    case AVAHI_BROWSER_FAILURE: return AvahiThread.later { browser.hasFailed() }
    default: news = nil
    }
    if let news { AvahiThread.later { browser.heard(news) } }
}

/// What the resolvers of every responder call.
func resolverHeard(
    _: OpaquePointer?, _ interface: AvahiIfIndex, _: AvahiProtocol, _ event: AvahiResolverEvent,
    _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?, _: UnsafePointer<CChar>?,
    _ address: UnsafePointer<AvahiAddress>?, _ port: UInt16, _ strings: UnsafeMutablePointer<AvahiStringList>?,
    _: AvahiLookupResultFlags,
    _ context: UnsafeMutableRawPointer?
) {
    guard let context else { return }
    let resolver = Unmanaged<ServiceResolver>.fromOpaque(context).takeUnretainedValue()
    let resolution =
        event == AVAHI_RESOLVER_FOUND
        ? address.flatMap { IPAddress($0.pointee) }.map {
            Resolution(
                address: $0, port: port, interfaceName: interfaceName(UInt32(clamping: interface)),
                strings: TXTStrings.copy(strings, reversed: resolver.stringsAreReversed))
        } : nil
    AvahiThread.later { resolver.heard(resolution) }
}

private func sighting(_ name: UnsafePointer<CChar>?, _ interface: AvahiIfIndex, _ version: AvahiProtocol) -> Sighting? {
    guard let name, let version = Sighting.IPVersion(version),
        let instance = InstanceName(bytes: bytes(ofCString: name))
    else { return nil }
    return Sighting(instance: instance, interface: UInt32(clamping: interface), version: version)
}

/// The bytes before the NUL, as far as one more than an instance name can have.
private func bytes(ofCString text: UnsafePointer<CChar>) -> [UInt8] {
    (0...63).lazy.map { UInt8(bitPattern: text[$0]) }.prefix { $0 != 0 }.map(\.self)
}
