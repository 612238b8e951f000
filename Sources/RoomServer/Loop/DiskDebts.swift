import LeaseStorage
import PrivateFiles
import RoomEngine
import SessionCoordinator
import Synchronization
import WireProtocol

/// What a room owes its disk: seats, what players taught, how its door is, and who was removed.
///
/// What a disk refuses stays here, the newest of each, and is tried again until it is taken. The room plays on
/// meanwhile: what is owed is lost in a crash alone.
final class DiskDebts: Sendable {
    /// How often what is owed is tried again, and what was removed goes out of the files.
    static let interval = Duration.seconds(10)

    private struct Owed {
        var leases: UnsavedLeases
        var talents: [ControllerID: PlayerTalents] = [:]
        /// The files that are not as they should be.
        var files: Set<KeptFile> = []
        /// Writes of which nobody knows yet whether the disk has taken them.
        var underway = 0
        /// People were told that something is owed.
        var isTold = false

        var isAnything: Bool { !files.isEmpty || !talents.isEmpty || !leases.due(with: []).isEmpty }
    }

    /// In a line for people, and whether it is bad news.
    typealias Tell = @Sendable (_ line: String, _ isTrouble: Bool) -> Void

    private let store: LeaseStore
    private let folder: PrivateFolder
    private let tell: Tell
    private let owed: Mutex<Owed>
    /// What the files should say that do not.
    private let files = Mutex<[KeptFile: String]>([:])

    /// - Parameter seated: whose seats are on the disk.
    init(store: LeaseStore, folder: PrivateFolder, seated: [ControllerID], tell: @escaping Tell) {
        self.store = store
        self.folder = folder
        self.tell = tell
        owed = Mutex(Owed(leases: UnsavedLeases(onDisk: seated)))
    }

    /// Everybody whose seat is on the disk, or is to come there.
    var seated: [ControllerID] { owed.withLock { $0.leases.controllers } }

    // MARK: What is to be kept

    /// Saves these changes with those that are owed; returns once it is known whether the disk has taken them.
    func save(_ changes: [LeaseChange]) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            owed.withLock { owed in begin(changes, &owed) { continuation.resume() } }
        }
    }

    /// Keeps what a player brings along with the lease of this controller.
    func keep(_ talents: PlayerTalents, of controller: ControllerID) {
        owed.withLock { owed in begin(talents, of: controller, &owed) }
    }

    /// Writes it down; where it is empty, there is no file.
    func keep(_ text: String, as file: KeptFile) {
        files.withLock { files in
            files[file] = text
            write(file, &files)
        }
    }

    // MARK: What is owed

    /// Tries again to save what is owed. Not while something is underway: it may be newer, and would be written over.
    func tryAgain() {
        owed.withLock { owed in
            guard owed.underway == 0 else { return }
            if !owed.leases.due(with: []).isEmpty { begin([], &owed) {} }
            for (controller, talents) in owed.talents.sorted(by: { $0.key < $1.key }) {
                begin(talents, of: controller, &owed)
            }
        }
        files.withLock { files in
            for file in KeptFile.allCases { write(file, &files) }
        }
    }

    /// Takes out of the files what nobody may find there any more.
    func tidy() { store.tidy() }

    /// The room ends: waits for what is underway, and tries for the last time.
    func settle() async {
        guard owed.withLock({ $0.underway > 0 || $0.isAnything }) else { return }
        if owed.withLock({ $0.underway > 0 }) { try? await store.save([]) }
        tryAgain()
        try? await store.save([])
        if owed.withLock({ $0.isAnything }) { tell("what the disk did not take is lost with the room's end", true) }
    }

    // MARK: Private

    /// The store is asked while it is held what is owed: so all comes to the disk in the order in which it stands here.
    private func begin(
        _ changes: [LeaseChange], _ owed: inout Owed, then done: @escaping @Sendable () -> Void
    ) {
        let due = owed.leases.due(with: changes)
        owed.underway += 1
        store.save(due) { [self] result in
            conclude("seats are", result.problem) { owed in
                owed.underway -= 1
                if result.problem == nil { owed.leases.noteSaved(due) } else { owed.leases.noteRefused(due) }
                // What someone taught who has left is owed no more.
                for case .remove(let controller) in due { owed.talents[controller] = nil }
            }
            done()
        }
    }

    private func begin(_ talents: PlayerTalents, of controller: ControllerID, _ owed: inout Owed) {
        owed.underway += 1
        store.keep(talents, of: controller) { [self] result in
            conclude("taught gestures are", result.problem) { owed in
                owed.underway -= 1
                // Beside a lease that is not there yet, they were left out.
                let isKept = result.problem == nil && (talents.isEmpty || !owed.leases.isMissing(controller))
                owed.talents[controller] = isKept ? nil : talents
            }
        }
    }

    private func write(_ file: KeptFile, _ files: inout [KeptFile: String]) {
        guard let text = files[file] else { return }
        var problem: StorageError?
        do throws(StorageError) {
            if text.isEmpty {
                try folder.remove(file.name)
            } else {
                try folder.replace(file.name, with: text)
            }
            files[file] = nil
        } catch {
            problem = error
        }
        let isOwed = problem != nil
        conclude(file.subject, problem) { owed in
            if isOwed { owed.files.insert(file) } else { owed.files.remove(file) }
        }
    }

    /// Notes what has come of a write. People are told when something begins to be owed, and when nothing is any more:
    /// what happens in between is the same again.
    private func conclude(_ what: String, _ problem: StorageError?, _ note: (inout Owed) -> Void) {
        let line = owed.withLock { owed -> (String, Bool)? in
            note(&owed)
            guard owed.isAnything != owed.isTold else { return nil }
            owed.isTold = owed.isAnything
            guard owed.isTold else { return ("the disk has taken all that it had refused", false) }
            let reason = problem.map { ": \($0)" } ?? ""
            return ("\(what) not saved\(reason). The room plays on, and it is tried again every 10 s", true)
        }
        if let (words, isTrouble) = line { tell(words, isTrouble) }
    }
}

extension Result<Void, StorageError> {
    fileprivate var problem: StorageError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
