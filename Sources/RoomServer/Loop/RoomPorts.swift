import Datagrams
import WireProtocol

/// The ports of a room, taken before anything answers there, so that the room can say where it is.
struct RoomPorts: Sendable {
    /// TCP: control connections, pages and games.
    let control: ListeningSocket
    /// UDP on the same number: samples and feedback.
    let link: DatagramSocket
    /// UDP for unsealed frames, where the options ask for it.
    let legacy: DatagramSocket?
    /// Plain HTTP on 127.0.0.1, for engines, development servers, and a proxy that ends the TLS.
    let loopback: ListeningSocket?

    /// - Parameters:
    ///   - kept: the number of last time, which is tried first where any will do.
    ///   - keptLoopback: the same of plain HTTP.
    ///   - usualIsTaken: the usual port of plain HTTP is another room's, whether that is open or not.
    /// - Throws: ``RoomError`` when another program has a port that was asked for.
    init(
        _ options: RoomOptions, kept: UInt16?, keptLoopback: UInt16? = nil, usualIsTaken: Bool = false
    ) throws(RoomError) {
        (control, link) = try Self.openBoth(options.port, kept: kept, seats: options.seats)
        legacy = if let port = options.legacyPort { try Self.datagrams(port, seats: options.seats) } else { nil }
        loopback = try Self.openLoopback(options.http, kept: keptLoopback, usualIsTaken: usualIsTaken)
    }

    /// TCP and UDP on one number; when any number will do, the one of last time is tried first, then several.
    private static func openBoth(
        _ wanted: UInt16, kept: UInt16?, seats: Int
    ) throws(RoomError) -> (ListeningSocket, DatagramSocket) {
        func open(_ port: UInt16) throws(RoomError) -> (ListeningSocket, DatagramSocket) {
            let control = try listen(at: .any(port: port), option: "--port")
            return (control, try datagrams(control.port, seats: seats))
        }
        guard wanted == 0 else { return try open(wanted) }
        for candidate in [kept ?? 0, 0, 0, 0] {
            do throws(RoomError) {
                return try open(candidate)
            } catch {
                guard error.code == .portInUse else { throw error }
            }
        }
        return try open(0)
    }

    /// A port that was asked for must be free; else the one of last time, which bookmarks hold, the usual one, or any.
    private static func openLoopback(
        _ wish: RoomOptions.HTTP, kept: UInt16?, usualIsTaken: Bool
    ) throws(RoomError) -> ListeningSocket? {
        func open(_ port: UInt16) throws(RoomError) -> ListeningSocket {
            try listen(at: PeerAddress(ipv4: 0x7F00_0001, port: port), option: "--http")
        }
        switch wish {
        case .off: return nil
        case .port(let port): return try open(port)
        case .any:
            for candidate in [kept, usualIsTaken ? nil : RoomOptions.HTTP.usualPort].compactMap(\.self) {
                do throws(RoomError) {
                    return try open(candidate)
                } catch {
                    guard error.code == .portInUse else { throw error }
                }
            }
            return try open(0)
        }
    }

    /// - Parameter option: how another port is chosen.
    private static func listen(at address: PeerAddress, option: String) throws(RoomError) -> ListeningSocket {
        do throws(SocketError) {
            return try ListeningSocket(at: address)
        } catch {
            let port = address.port
            switch error.code {
            case .portInUse:
                throw RoomError(
                    .portInUse,
                    "port \(port) is in use by another program; "
                        + (option == "--http"
                            ? "choose another --http PORT, or --http off" : "choose one with --port, or leave it out"))
            case .notPermitted:
                throw RoomError(
                    .network, "port \(port) is not allowed to this user; choose one above 1023 with \(option)")
            default: throw RoomError(.network, error.description)
            }
        }
    }

    private static func datagrams(_ port: UInt16, seats: Int) throws(RoomError) -> DatagramSocket {
        var options = DatagramSocket.Options()
        options.receiveBufferBytes = DatagramSocket.Options.receiveBufferBytes(seats: seats)
        options.stampsArrivals = true
        options.notesDialled = true
        do throws(SocketError) {
            return try DatagramSocket(at: .any(port: port), options: options)
        } catch {
            throw RoomError(error.code == .portInUse ? .portInUse : .network, error.description)
        }
    }
}
