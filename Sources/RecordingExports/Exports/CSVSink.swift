import Foundation

/// Comma-separated values (RFC 4180), a file for each table. Texts are ``csvText(_:)``, so that no
/// spreadsheet takes one for a formula; JSON says what it said to whoever parses it.
struct CSVSink: ExportSink {
    private var files: [String: (handle: FileHandle, path: String, text: String)] = [:]
    private(set) var paths: [String] = []

    init(_ folder: String) throws {
        do {
            for table in ExportTable.all {
                let path = "\(folder)/\(table.name).csv"
                let handle = try ExportFile.make(path)
                paths.append(path)
                files[table.name] = (handle, path, table.columns.map(\.name).joined(separator: ",") + "\r\n")
            }
        } catch {
            ExportFile.remove(paths)
            throw error
        }
    }

    mutating func add(_ row: [ExportValue], to table: ExportTable) throws {
        guard var file = files[table.name] else { return }
        // The entry is taken out while its text grows: else each row would copy it.
        files[table.name] = nil
        file.text += row.map(Self.cell).joined(separator: ",") + "\r\n"
        if file.text.utf8.count > 1 << 16 {
            try ExportFile.write(Array(file.text.utf8), to: file.handle, at: file.path)
            file.text = ""
        }
        files[table.name] = file
    }

    private static func cell(_ value: ExportValue) -> String {
        switch value {
        case .number(let number): "\(number)"
        case .integer(let number): "\(number)"
        case .nothing: ""
        case .text(let text): csvText(text)
        case .json(let json): csvText(json: json)
        }
    }

    mutating func finish() throws {
        for file in files.values {
            try ExportFile.write(Array(file.text.utf8), to: file.handle, at: file.path)
            try file.handle.close()
        }
    }
}
