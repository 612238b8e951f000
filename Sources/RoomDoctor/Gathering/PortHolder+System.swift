import Connections
import Foundation
import Identity
import PrivateFiles
import WireProtocol

extension PortHolder {
    /// Other programs with a UDP socket at this port, as far as this user may look.
    static func others(at port: UInt16) -> [PortHolder] {
        let sockets = ["/proc/net/udp", "/proc/net/udp6"].flatMap { path in
            UDPSocketLine.all(in: kernelTable(path) ?? "")
        }.filter { $0.port == port }
        guard !sockets.isEmpty else { return [] }
        let owners = processes(owning: Set(sockets.map(\.inode)))
        var holders: [PortHolder] = []
        for socket in sockets {
            let pid = owners[socket.inode]
            guard pid != getpid() else { continue }
            let program = pid.flatMap { try? String(contentsOfFile: "/proc/\($0)/comm", encoding: .utf8) }
            let holder = PortHolder(
                program.map { printable($0.trimmingCharacters(in: .newlines)) }, pid: pid,
                user: name(of: socket.user))
            if !holders.contains(holder) { holders.append(holder) }
        }
        return holders
    }

    private static func name(of user: Int) -> String {
        guard let entry = getpwuid(uid_t(truncatingIfNeeded: user)), let name = entry.pointee.pw_name else {
            return "number \(user)"
        }
        return printable(String(cString: name))
    }

    /// Which process has which socket: proc(5), /proc/PID/fd.
    private static func processes(owning inodes: Set<UInt64>) -> [UInt64: Int32] {
        var owners: [UInt64: Int32] = [:]
        let files = FileManager.default
        for pid in ((try? files.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap(Int32.init).sorted() {
            for file in (try? files.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? [] {
                guard let place = try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\(file)"),
                    place.hasPrefix("socket:["), let inode = UInt64(place.dropFirst(8).dropLast()),
                    inodes.contains(inode), owners[inode] == nil
                else { continue }
                owners[inode] = pid
            }
            if owners.count == inodes.count { break }
        }
        return owners
    }
}

/// One line of /proc/net/udp: proc(5).
struct UDPSocketLine: Hashable, Sendable {
    let port: UInt16
    let user: Int
    let inode: UInt64

    /// `nil` for the heading, and for what cannot be understood.
    init?(_ line: some StringProtocol) {
        let columns = line.split(separator: " ", omittingEmptySubsequences: true)
        guard columns.count > 9, let colon = columns[1].lastIndex(of: ":"),
            let port = UInt16(columns[1][columns[1].index(after: colon)...], radix: 16), let user = Int(columns[7]),
            let inode = UInt64(columns[9])
        else { return nil }
        self.port = port
        self.user = user
        self.inode = inode
    }

    static func all(in text: String) -> [UDPSocketLine] { text.split(separator: "\n").compactMap { UDPSocketLine($0) } }
}
