import Foundation
import GRDB
package import PrivateFiles
package import RoomEngine
package import WireProtocol

/// What players taught, in a table of its own: a row goes with its controller's lease.
extension LeaseStore {
    /// By controller. A row that makes no sense is left out: its player can teach again.
    package func loadTalents() throws(StorageError) -> [ControllerID: PlayerTalents] {
        try attempt("read") {
            try pool.read { db in
                var found: [ControllerID: PlayerTalents] = [:]
                for row in try Row.fetchAll(db, sql: "SELECT controller, json FROM talents") {
                    guard let controller = ControllerID(stored: row["controller"]),
                        let json = Data.fromDatabaseValue(row["json"]),
                        let talents = try? JSONDecoder().decode(PlayerTalents.self, from: json)
                    else { continue }
                    found[controller] = talents
                }
                return found
            }
        }
    }

    /// Keeps them, after the leases that were saved before; those of a controller without a lease are left out, which
    /// is no failure. `completion` is called on the writer's thread, in the order of the calls.
    package func keep(
        _ talents: PlayerTalents, of controller: ControllerID,
        completion: @escaping @Sendable (Result<Void, StorageError>) -> Void
    ) {
        let change: @Sendable (Database) throws -> Void = { db in
            let name = controller.description
            if talents.isEmpty {
                return try db.execute(sql: "DELETE FROM talents WHERE controller = ?", arguments: [name])
            }
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO talents
                    SELECT ?, ? WHERE EXISTS (SELECT 1 FROM lease WHERE controller = ?)
                    """, arguments: [name, try JSONEncoder().encode(talents), name])
        }
        commit(change, completion: completion)
    }
}
