internal import CAvahi

/// What libavahi answers instead of doing something.
struct AvahiError: Error, Equatable, CustomStringConvertible {
    /// One of `AVAHI_ERR_…`, below 0.
    let code: CInt

    static let collision = AvahiError(AVAHI_ERR_COLLISION)
    static let disconnected = AvahiError(AVAHI_ERR_DISCONNECTED)
    static let noDaemon = AvahiError(AVAHI_ERR_NO_DAEMON)
    static let noBus = AvahiError(AVAHI_ERR_DBUS_ERROR)
    static let badState = AvahiError(AVAHI_ERR_BAD_STATE)

    init(code: CInt) { self.code = code }
    private init(_ code: Int) { self.init(code: CInt(code)) }

    /// In Avahi's own words.
    var description: String { avahi_strerror(code).map { String(cString: $0) } ?? "error \(code)" }

    /// Throws what a call of libavahi returned, unless it went well.
    static func check(_ result: CInt) throws(AvahiError) {
        if result < 0 { throw AvahiError(code: result) }
    }
}
