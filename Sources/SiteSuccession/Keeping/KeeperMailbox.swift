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
        /// The room of this epoch has closed: for good, or for that host, which may be this one when it is back.
        case depart(UInt64, to: UInt64?)
    }

    struct Mail {
        var letters: [Letter] = []
        /// The newest word of each standby, with its machine's name.
        var standbys: [UInt64: (StandbyPresence, String)] = [:]
        /// Something was written to the log, or was to be.
        var isRung = false
        /// More has changed than there are letters of: only everything, told anew, says it.
        var isCopyDue = false
    }

    /// The open room as it is by all changes until now, and the epoch in which it is.
    private struct Live {
        var heritage = RoomHeritage()
        var epoch: UInt64 = 0
    }

    private struct State {
        var mail = Mail()
        var live = Live()
    }

    private let state = Mutex(State())
    let bell: AsyncStream<Void>
    private let ringing: AsyncStream<Void>.Continuation
    private static let mostStandbys = 16
    /// Letters that wait, for as long as the broker's socket takes nothing.
    static let mostLetters = 4_096

    init() { (bell, ringing) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func ring() { ringing.yield() }
    /// Whoever waits for the bell comes to the end.
    func finish() { ringing.finish() }

    func post(_ letter: Letter) {
        state.withLock { state in
            switch letter {
            case .begin(let heritage, let epoch): state.live = Live(heritage: heritage, epoch: epoch)
            case .change(let item, let epoch):
                if epoch == state.live.epoch { state.live.heritage.apply(item) }
                if state.mail.letters.count >= Self.mostLetters {
                    state.mail.isCopyDue = true
                    return
                }
            case .input, .depart: break
            }
            state.mail.letters.append(letter)
        }
        ring()
    }

    /// All that a successor of this epoch's owner needs. It may be ahead of letters that wait: they lead to the same.
    func heritage(in epoch: UInt64) -> RoomHeritage? {
        state.withLock { $0.live.epoch == epoch ? $0.live.heritage : nil }
    }

    func noteLog() {
        state.withLock { $0.mail.isRung = true }
        ring()
    }

    func note(_ presence: StandbyPresence, named name: String) {
        state.withLock { state in
            let standbys = state.mail.standbys
            guard standbys[presence.host] != nil || standbys.count < Self.mostStandbys else { return }
            state.mail.standbys[presence.host] = (presence, name)
        }
        ring()
    }

    func take() -> Mail {
        state.withLock { state in
            defer { state.mail = Mail() }
            return state.mail
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
