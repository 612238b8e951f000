import Foundation
import NIOCore

/// Who is at the other end of a Unix socket, as the kernel says (`SO_PEERCRED`, unix(7)).
func peerUser(of channel: any Channel) async throws -> uid_t {
    struct Credentials { var process: pid_t = 0, user: uid_t = .max, group: gid_t = .max }
    guard let options = channel as? any SocketOptionProvider else { return .max }
    let credentials: Credentials = try await options.unsafeGetSocketOption(
        level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED)
    ).get()
    return credentials.user
}
