import Foundation
package import RoomOwnership
package import RoomRecords

/// What a room's log has told of the room so far: the copy that a standby goes on with.
///
/// Every owner tells everything once it owns the room, between `begin` and `end`, again now and then, and each change at once.
/// So who begins in the midst of the log has a whole copy after the next `end`.
package struct HeritageCopy: Sendable {
    package enum Problem: Hashable, Sendable {
        /// Sealed with another key, or for another room.
        case sealedOtherwise
        /// It opens, and no version of this program writes it.
        case senseless
    }

    /// SiteItem's number for everything that is no event.
    package static let kind: UInt8 = 1

    private let key: SiteKey
    private let room: String
    package private(set) var heritage = RoomHeritage()
    /// Being told anew.
    private var draft: RoomHeritage?
    package private(set) var isWhole = false
    /// Of the newest record that could not be taken; a whole copy mends it.
    package private(set) var problem: Problem?
    /// Whose records count, as in the ownership itself: the newest claim's writer.
    private var tenure: (epoch: OwnershipEpoch, owner: OwnerID)?
    /// That of the last marked item in this tenure; 0 before.
    private var lastNumber: UInt64 = 0
    /// Who wrote the newest record, and whether the room is closed by it, or was never opened.
    private var newest: (owner: OwnerID?, isClosed: Bool) = (nil, true)
    /// The same of the record before the newest claim: whom its writer follows.
    package private(set) var predecessor: (owner: OwnerID?, wasClosed: Bool) = (nil, true)
    /// Who told something of the room last, readable or not. An owner does so once it has the room open.
    package private(set) var teller: OwnerID?
    /// Whose machine the copy names: with the next owner's claim alone it is still that of the one before.
    private var named: UInt64?

    package init(_ key: SiteKey, room: String) {
        self.key = key
        self.room = room
    }

    /// The log has lost records that were never read here: only what is told anew can be trusted.
    package mutating func missed() {
        (isWhole, draft, tenure) = (false, nil, nil)
    }

    /// Whether what lies in the folder of this host, which has claimed the room, is the newest of it.
    ///
    /// A claim alone says nothing of that: whoever made it may have ended before it took over what another host left.
    package func isNewest(at host: UInt64) -> Bool {
        guard let before = predecessor.owner else { return true }
        return (teller ?? before).host == host
    }

    /// The name of this host's machine, where the copy holds it.
    package func machine(of host: UInt64) -> String? {
        host == named && !heritage.machine.isEmpty ? heritage.machine : nil
    }

    /// Takes the log's next record. What is no record, or no owner's, changes nothing.
    package mutating func learn(_ entry: LogEntry) {
        guard entry.isPlaced, let record = try? SiteLogRecord(decoding: entry.bytes), admits(record) else { return }
        if record.isClaim { (draft, predecessor) = (nil, (newest.owner, newest.isClosed)) }
        newest.owner = record.owner
        switch record.body {
        case .released: newest.isClosed = true
        case .batch: newest.isClosed = false
        // Who claims a room that was closed has yet to open it.
        case .claim, .beat, .handover, .skipped: break
        }
        guard case .batch(let batch) = record.body else { return }
        for item in batch.items where item.kind == Self.kind {
            teller = record.owner
            take(item.sealed, of: record)
        }
    }

    private mutating func admits(_ record: SiteLogRecord) -> Bool {
        if let tenure {
            guard
                record.isClaim
                    ? record.epoch > tenure.epoch : record.epoch == tenure.epoch && record.owner == tenure.owner
            else { return false }
        }
        if tenure?.epoch != record.epoch || tenure?.owner != record.owner { lastNumber = 0 }
        tenure = (record.epoch, record.owner)
        return true
    }

    private mutating func take(_ sealed: [UInt8], of record: SiteLogRecord) {
        guard let bytes = key.open(sealed, room: room) else { return spoil(.sealedOtherwise) }
        guard let told = try? JSONDecoder().decode(ToldItem.self, from: Data(bytes)) else {
            return spoil(.senseless)
        }
        // What somebody has kept of another's time, or of this one, changes nothing when it is told again.
        guard isNew(told.mark, in: record) else { return }
        let item = told.item
        switch item {
        case .begin: draft = RoomHeritage()
        case .end:
            guard let told = draft else { return }
            (heritage, draft, isWhole, problem) = (told, nil, true, nil)
        default:
            if case .machine = item { named = teller?.host }
            heritage.apply(item)
            draft?.apply(item)
        }
    }

    /// An owner of an earlier version marks nothing, and one that marks marks everything.
    private mutating func isNew(_ mark: ToldItem.Mark?, in record: SiteLogRecord) -> Bool {
        guard let mark else { return lastNumber == 0 }
        guard mark.tenure == ToldItem.tenure(record.epoch, of: record.owner), mark.number > lastNumber else {
            return false
        }
        lastNumber = mark.number
        return true
    }

    private mutating func spoil(_ why: Problem) {
        (isWhole, draft, problem) = (false, nil, why)
    }

    /// An item as it stands in a record; `nil` for what is too long for one.
    ///
    /// - Parameters:
    ///   - owner: who tells it, in its time of this epoch; `nil` as hosts of earlier versions do.
    ///   - number: greater than that of what it told before.
    package static func sealed(
        _ item: HeritageItem, _ key: SiteKey, room: String, by owner: OwnerID? = nil, in epoch: OwnershipEpoch = 0,
        number: UInt64 = 0
    ) -> SiteItem? {
        let mark = owner.map { ToldItem.Mark(tenure: ToldItem.tenure(epoch, of: $0), number: number) }
        guard let data = try? JSONEncoder().encode(ToldItem(item, mark)),
            data.count + SiteKey.overhead <= SiteLogRecord.maximumItemSize
        else { return nil }
        return key.seal(Array(data), room: room).map { SiteItem(kind: Self.kind, sealed: $0) }
    }
}
