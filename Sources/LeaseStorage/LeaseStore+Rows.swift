import Foundation
import GRDB
import SessionCoordinator
import WireProtocol

/// The tables, in the order in which versions added to them. A step that was released is never changed.
func leaseMigrations() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1: leases and counters") { db in
        try db.execute(
            sql: """
                CREATE TABLE lease (
                    controller TEXT NOT NULL PRIMARY KEY,
                    seat INTEGER NOT NULL UNIQUE,
                    player INTEGER NOT NULL,
                    name TEXT NOT NULL,
                    color TEXT NOT NULL,
                    secretHash BLOB NOT NULL,
                    previousSecretHash BLOB,
                    updatedAt INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE counters (
                    controller TEXT NOT NULL PRIMARY KEY,
                    json BLOB NOT NULL
                ) STRICT;
                """)
    }
    migrator.registerMigration("2: what players taught") { db in
        try db.execute(
            sql: """
                CREATE TABLE talents (
                    controller TEXT NOT NULL PRIMARY KEY,
                    json BLOB NOT NULL
                ) STRICT;
                """)
    }
    // Nothing was ever written there.
    migrator.registerMigration("3: no counters") { db in try db.execute(sql: "DROP TABLE counters") }
    return migrator
}

/// All leases as they stand in the table, by seat.
func leaseRows(_ db: Database) throws -> [Row] {
    try Row.fetchAll(
        db,
        sql: """
            SELECT controller, seat, player, name, color, secretHash, previousSecretHash, updatedAt
            FROM lease ORDER BY seat
            """)
}

/// Makes changes, later ones over earlier ones, in a transaction that the caller began.
///
/// All controllers' old rows go before any new one comes: so two controllers can swap seats in one step. A seat is its
/// newest holder's: who left it unnoticed by the disk goes, too, and what that one taught.
func apply(_ changes: [LeaseChange], to db: Database) throws {
    var last: [ControllerID: Int] = [:]
    for (index, change) in changes.enumerated() { last[change.controller] = index }
    let effective = changes.indices.filter { last[changes[$0].controller] == $0 }.map { changes[$0] }

    for change in effective {
        let arguments: StatementArguments = [change.controller.description]
        try db.execute(sql: "DELETE FROM lease WHERE controller = ?", arguments: arguments)
        guard case .remove = change else { continue }
        try db.execute(sql: "DELETE FROM talents WHERE controller = ?", arguments: arguments)
    }
    // For people who look into the file.
    let now = Int64(Date().timeIntervalSince1970 * 1_000)
    for case .keep(let lease) in effective {
        let former = try String.fetchOne(
            db, sql: "SELECT controller FROM lease WHERE seat = ?", arguments: [lease.seat])
        if let former { try db.execute(sql: "DELETE FROM talents WHERE controller = ?", arguments: [former]) }
        try db.execute(
            sql: "INSERT OR REPLACE INTO lease VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                lease.controller.description, lease.seat, lease.player, lease.name, SeatColor.text(lease.color),
                Data(lease.secretHash), lease.previousSecretHash.map { Data($0) }, now,
            ])
    }
}

extension Lease {
    /// `nil` for a row that we never wrote.
    init?(row: Row) {
        guard let controller = ControllerID(stored: row["controller"]),
            let seat = Int.fromDatabaseValue(row["seat"]), seat >= 0,
            let player = PlayerNumber.fromDatabaseValue(row["player"]),
            let name = String.fromDatabaseValue(row["name"]),
            let color = String.fromDatabaseValue(row["color"]),
            let secretHash = Data.fromDatabaseValue(row["secretHash"])
        else { return nil }
        let previous = Data.fromDatabaseValue(row["previousSecretHash"])
        self.init(
            controller: controller, seat: seat, player: player, name: name,
            color: UInt32(color.dropFirst(), radix: 16) ?? 0x7F7F7F, secretHash: Array(secretHash),
            previousSecretHash: previous.map { Array($0) })
    }
}

extension ControllerID {
    init?(stored value: DatabaseValue) {
        guard let text = String.fromDatabaseValue(value) else { return nil }
        self.init(text)
    }
}
