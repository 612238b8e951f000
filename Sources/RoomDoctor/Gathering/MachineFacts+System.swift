import Datagrams
import Foundation
import PrivateFiles
import WireProtocol

extension MachineFacts {
    /// A database alone needs three.
    private static let fewestFiles = 8

    /// As this machine is now.
    static func now(seats: Int, state folder: String?) -> MachineFacts {
        var facts = MachineFacts()
        facts.seats = seats
        var moment = time(nil)
        var parts = tm()
        gmtime_r(&moment, &parts)
        facts.year = Int(parts.tm_year) + 1_900
        facts.date = String(
            format: "%04d-%02d-%02d %02d:%02d UTC", facts.year, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
            parts.tm_min)
        facts.isSynchronised = WallClock.isSynchronised

        var options = DatagramSocket.Options()
        options.receiveBufferBytes = DatagramSocket.Options.receiveBufferBytes(seats: seats)
        facts.bufferWanted = options.receiveBufferBytes
        facts.bufferGranted = (try? DatagramSocket(options: options))?.receiveBufferBytes ?? 0
        facts.bufferLimit = (try? String(contentsOfFile: "/proc/sys/net/core/rmem_max", encoding: .utf8)).flatMap {
            Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
        var limit = rlimit()
        // The hard limit: a host raises its own as far as that.
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            facts.descriptors = Int(clamping: limit.rlim_max)
        }
        facts.hasSodium = LinkCipher.preferred(for: .chacha20poly1305).isSodium
        facts.state = state(at: folder)
        return facts
    }

    private static func state(at folder: String?) -> State {
        let path: String
        do {
            path = try StateFolder(folder).path
        } catch {
            return .unusable("\(error)")
        }
        guard access(path, W_OK | X_OK) == 0 else { return .unusable("\(path) cannot be written to.") }
        var space = statvfs()
        guard statvfs(path, &space) == 0 else { return .usable(path: path, freeBytes: .max) }
        return state(of: path, on: space)
    }

    /// - Parameter space: what is left of the file system that the folder lies on.
    static func state(of path: String, on space: statvfs) -> State {
        // Some file systems have no such number, and say 0 of 0.
        if space.f_files > 0, space.f_favail < fewestFiles {
            return .unusable("No more files can be made in \(path): its file system has no inodes left (df -i).")
        }
        let (free, isHuge) = Int(clamping: space.f_bavail).multipliedReportingOverflow(
            by: Int(clamping: space.f_frsize))
        return .usable(path: path, freeBytes: isHuge ? .max : free)
    }
}

extension Firewall {
    /// What filters packets here, by what lies and runs on this machine. Whether it filters only root could ask.
    package static var here: Firewall {
        let files = FileManager.default
        let ufw = (try? String(contentsOfFile: "/etc/ufw/ufw.conf", encoding: .utf8)) ?? ""
        if ufw.split(separator: "\n").contains("ENABLED=yes") { return .ufw }
        if files.fileExists(atPath: "/run/firewalld") { return .firewalld }
        return files.fileExists(atPath: "/usr/sbin/nft") ? .nftables : .unknown
    }
}
