import Foundation
import RoomOwnership
import RoomRecords
import Synchronization

/// What other threads put down for a ``RoomKeeper``.
final class KeeperMailbox: Sendable {
    enum Letter: Sendable {
        case input(OwnershipInput)
        /// The room of this epoch is open with this.
        case begin(RoomHeritage, UInt64)
        case change(HeritageItem, UInt64)
        /// The room of this epoch has closed: for good, or for that host.
        case depart(UInt64, to: UInt64?)
    }

    struct Mail {
        var letters: [Letter] = []
        /// The newest word of each standby, with its machine's name.
        var standbys: [UInt64: (StandbyPresence, String)] = [:]
        /// Something was written to the log, or was to be.
        var isRung = false
    }

    private let mail = Mutex(Mail())
    let bell: AsyncStream<Void>
    private let ringing: AsyncStream<Void>.Continuation
    private static let mostStandbys = 16

    init() { (bell, ringing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func ring() { ringing.yield() }
    /// Whoever waits for the bell comes to the end.
    func finish() { ringing.finish() }

    func post(_ letter: Letter) {
        mail.withLock { $0.letters.append(letter) }
        ring()
    }

    func noteLog() {
        mail.withLock { $0.isRung = true }
        ring()
    }

    func note(_ presence: StandbyPresence, named name: String) {
        mail.withLock { mail in
            guard mail.standbys[presence.host] != nil || mail.standbys.count < Self.mostStandbys else { return }
            mail.standbys[presence.host] = (presence, name)
        }
        ring()
    }

    func take() -> Mail {
        mail.withLock { mail in
            defer { mail = Mail() }
            return mail
        }
    }
}

/// What a standby says of itself, as it crosses the broker.
struct PresenceWord: Codable {
    /// 16 hexadecimal digits.
    var host: String
    var ready: Bool
    var follows: UInt64
    /// The machine's name.
    var machine: String

    static let longest = 1_024

    init(_ presence: StandbyPresence, machine: String) {
        host = String(presence.host, radix: 16)
        (ready, follows) = (presence.isReady, presence.follows)
        self.machine = machine
    }

    /// `nil` for what no standby says.
    static func read(_ bytes: [UInt8]) -> (StandbyPresence, name: String)? {
        guard bytes.count <= longest, let word = try? JSONDecoder().decode(PresenceWord.self, from: Data(bytes)),
            word.host.utf8.count <= 16, let host = UInt64(word.host, radix: 16)
        else { return nil }
        let name = word.machine.prefix(63).filter { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }
        return (
            StandbyPresence(host: host, isReady: word.ready, follows: word.follows), name.isEmpty ? word.host : name
        )
    }
}
