internal import CAvahi

/// One connection to avahi-daemon over D-Bus.
@AvahiThread
final class AvahiClient: AvahiObject {
    private let stateChanged: (AvahiClientState) -> Void
    /// Why there is no connection at all.
    private var openingError: CInt = 0

    /// Connects, or waits for a daemon that is not there yet; without a bus, `isOpen` stays false.
    ///
    /// `stateChanged` is called after this has returned, and never once the client is closed.
    init(stateChanged: @escaping (AvahiClientState) -> Void) {
        self.stateChanged = stateChanged
        super.init(.client) { avahi_client_free($0) }
        adopt(avahi_client_new(AvahiThread.poll, AVAHI_CLIENT_NO_FAIL, clientChanged, context, &openingError))
    }

    /// The last thing that went wrong.
    var error: AvahiError { AvahiError(code: pointer.map { avahi_client_errno($0) } ?? openingError) }

    fileprivate func changed(_ state: AvahiClientState) {
        if isOpen { stateChanged(state) }
    }
}

private func clientChanged(_: OpaquePointer?, _ state: AvahiClientState, _ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    let client = Unmanaged<AvahiClient>.fromOpaque(context).takeUnretainedValue()
    AvahiThread.later { client.changed(state) }
}
