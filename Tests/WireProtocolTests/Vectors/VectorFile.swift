import Foundation
import Testing

/// A file of golden vectors in `Documentation/vectors`, which other implementations test themselves against.
///
/// `ROOMFUL_WRITE_VECTORS=1` writes the files anew; what `Scripts/check-wire-format.py` added (the sealed datagrams,
/// computed there by another library) is kept where its inputs are the same.
struct VectorFile<Vector: Codable & Equatable>: Codable {
    var about: String
    var vectors: [Vector]

    /// Compares the file's vectors with what the code makes now, or rewrites the file.
    func check(against name: String, ignoring strip: (Vector) -> Vector = { $0 }) throws {
        let url = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Documentation/vectors/\(name)")
        if ProcessInfo.processInfo.environment["ROOMFUL_WRITE_VECTORS"] == "1" {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let known = try? JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
            var updated = self
            updated.vectors = vectors.map { new in known?.vectors.first { strip($0) == strip(new) } ?? new }
            try (encoder.encode(updated) + Data("\n".utf8)).write(to: url)
            return
        }
        let stored = try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
        #expect(stored.vectors.count == vectors.count)
        for (old, new) in zip(stored.vectors, vectors) { #expect(strip(old) == strip(new)) }
    }
}
