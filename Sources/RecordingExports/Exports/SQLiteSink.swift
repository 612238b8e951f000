import Foundation
import GRDB

/// A database that explains itself: its tables, and one of what their columns mean.
struct SQLiteSink: ExportSink {
    let path: String
    var paths: [String] { [path] }
    private let database: DatabaseQueue
    private var waiting: [(table: String, row: [ExportValue])] = []

    init(_ path: String) throws {
        // SQLite opens the file by its path again, and another beside it.
        try ExportFile.checkFolder(of: path)
        try ExportFile.make(path).close()
        self.path = path
        do {
            database = try Self.writing(path) {
                let database = try DatabaseQueue(path: path)
                try Self.makeTables(in: database)
                return database
            }
        } catch {
            ExportFile.remove([path])
            throw error
        }
    }

    /// Runs what SQLite does to the file; where it cannot, the error names the file.
    private static func writing<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw ExportFile.failure(path, error.message ?? "SQLite error \(error.resultCode.rawValue)")
        }
    }

    private static func makeTables(in database: DatabaseQueue) throws {
        try database.write { database in
            for table in ExportTable.all {
                let columns = table.columns.map {
                    "\"\($0.name)\" -- \($0.unit.isEmpty ? "" : "\($0.unit); ")\($0.meaning)"
                }
                // The comments stay in the schema, where `.schema` shows them.
                let body = columns.enumerated().map { place, column in
                    place == columns.count - 1 ? column : column.replacingOccurrences(of: "\" --", with: "\", --")
                }
                try database.execute(sql: "CREATE TABLE \"\(table.name)\" (\n  \(body.joined(separator: "\n  "))\n)")
            }
        }
    }

    mutating func add(_ row: [ExportValue], to table: ExportTable) throws {
        waiting.append((table.name, row))
        if waiting.count >= 10_000 { try write() }
    }

    private mutating func write() throws {
        let (rows, database) = (waiting, self.database)
        waiting.removeAll(keepingCapacity: true)
        try Self.writing(path) {
            try database.write { database in
                for (table, row) in rows {
                    let marks = Array(repeating: "?", count: row.count).joined(separator: ",")
                    let statement = try database.cachedStatement(sql: "INSERT INTO \"\(table)\" VALUES (\(marks))")
                    try statement.execute(arguments: StatementArguments(row.map(Self.value)))
                }
            }
        }
    }

    private static func value(_ value: ExportValue) -> DatabaseValue {
        switch value {
        case .number(let number): number.databaseValue
        case .integer(let number): number.databaseValue
        case .text(let text), .json(let text): text.databaseValue
        case .nothing: .null
        }
    }

    mutating func finish() throws {
        try write()
        let database = self.database
        try Self.writing(path) {
            try database.write { database in
                try database.execute(
                    sql: "CREATE INDEX motion_at ON motion (player, at_ms); "
                        + "CREATE INDEX events_at ON events (type, at_ms)")
            }
            try database.close()
        }
    }
}
