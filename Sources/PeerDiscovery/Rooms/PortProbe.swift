internal import CAvahi
internal import Glibc

/// Finds out whether anybody listens at one of several TCP addresses, by connecting and hanging up.
@AvahiThread
final class PortProbe {
    private struct Attempt {
        let endpoint: RoomEndpoint
        let socket: CInt
        let watch: OpaquePointer
    }

    private var attempts: [Attempt] = []
    private var done: ((RoomEndpoint?) -> Void)?

    /// `done` is called later, once: with the address that answered first, or nil when all have refused. Whoever has
    /// waited long enough calls ``cancel()``.
    init(_ endpoints: [RoomEndpoint], done: @escaping (RoomEndpoint?) -> Void) {
        self.done = done
        for endpoint in endpoints {
            if let attempt = open(endpoint) { attempts.append(attempt) }
        }
        if attempts.isEmpty { AvahiThread.later { [weak self] in self?.finish(nil) } }
    }

    /// Hangs up everywhere and says nothing any more.
    func cancel() {
        done = nil
        closeAll()
    }

    private func open(_ endpoint: RoomEndpoint) -> Attempt? {
        guard let poll = AvahiThread.poll, let watchNew = poll.pointee.watch_new else { return nil }
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(endpoint.address.isV6 ? AF_INET6 : AF_INET, kind, 0)
        guard socket >= 0 else { return nil }
        let context = Unmanaged.passUnretained(self).toOpaque()
        // A connection made at once is told by the watch like any other.
        guard endpoint.connect(socket) == 0 || errno == EINPROGRESS,
            let watch = watchNew(poll, socket, AVAHI_WATCH_OUT, socketChanged, context)
        else {
            close(socket)
            return nil
        }
        return Attempt(endpoint: endpoint, socket: socket, watch: watch)
    }

    /// Takes the answer and hangs up at once: Avahi's loop serves the newest watch first, and poll(2) tells of a refused
    /// connection for as long as it is watched, so one left open would starve all others.
    fileprivate func changed(_ watch: Int) {
        guard let place = attempts.firstIndex(where: { Int(bitPattern: $0.watch) == watch }) else { return }
        let attempt = attempts.remove(at: place)
        var error: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(attempt.socket, SOL_SOCKET, SO_ERROR, &error, &size)
        hangUp(attempt)
        guard error == 0 || attempts.isEmpty else { return }
        AvahiThread.later { [self] in finish(error == 0 ? attempt.endpoint : nil) }
    }

    private func finish(_ endpoint: RoomEndpoint?) {
        closeAll()
        let done = done
        self.done = nil
        done?(endpoint)
    }

    private func closeAll() {
        for attempt in attempts { hangUp(attempt) }
        attempts = []
    }

    private func hangUp(_ attempt: Attempt) {
        AvahiThread.poll?.pointee.watch_free?(attempt.watch)
        close(attempt.socket)
    }
}

private func socketChanged(
    _ watch: OpaquePointer?, _: CInt, _: AvahiWatchEvent, _ context: UnsafeMutableRawPointer?
) {
    guard let context, let watch else { return }
    let probe = Unmanaged<PortProbe>.fromOpaque(context).takeUnretainedValue()
    let address = Int(bitPattern: watch)
    AvahiThread.assumeIsolated { probe.changed(address) }
}

extension RoomEndpoint {
    /// What connect(2) returns for a socket of this address's family.
    fileprivate func connect(_ socket: CInt) -> CInt {
        switch address {
        case .v4(let word):
            var target = sockaddr_in()
            target.sin_family = sa_family_t(AF_INET)
            target.sin_port = port.bigEndian
            target.sin_addr.s_addr = word.bigEndian
            return withUnsafeBytes(of: &target) { Self.connect(socket, $0) }
        case .v6(let high, let low):
            var target = sockaddr_in6()
            target.sin6_family = sa_family_t(AF_INET6)
            target.sin6_port = port.bigEndian
            target.sin6_scope_id = needsScope ? interface : 0
            withUnsafeMutableBytes(of: &target.sin6_addr) { bytes in
                bytes.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
                bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            return withUnsafeBytes(of: &target) { Self.connect(socket, $0) }
        }
    }

    private static func connect(_ socket: CInt, _ address: UnsafeRawBufferPointer) -> CInt {
        Glibc.connect(
            socket, address.baseAddress.map { $0.assumingMemoryBound(to: sockaddr.self) }, socklen_t(address.count))
    }
}
