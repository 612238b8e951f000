import Foundation
import Testing

@testable import RoomRecords
@testable import Roomful

/// The events in Swift and `Documentation/events.schema.json` say the same, or a test here fails.
struct EventSchemaTests {
    private let schema: JSONSchema

    init() throws {
        let file = URL(fileURLWithPath: #filePath).appending(path: "../../../../Documentation/events.schema.json")
        schema = JSONSchema(root: try JSONDecoder().decode(JSON.self, from: Data(contentsOf: file.standardizedFileURL)))
    }

    private func json(_ event: EventRecord) throws -> JSON {
        try JSONDecoder().decode(JSON.self, from: JSONEncoder().encode(event))
    }

    private func read(_ value: JSON) throws -> EventRecord {
        try JSONDecoder().decode(EventRecord.self, from: JSONEncoder().encode(value))
    }

    @Test("Every event that Swift writes is as the schema says", arguments: EventExamples.all)
    func written(_ event: EventRecord) throws {
        #expect(schema.problems(in: try json(event)) == [])
    }

    @Test("Every event that was written is read again as it was", arguments: EventExamples.all)
    func readAgain(_ event: EventRecord) throws {
        #expect(try read(json(event)) == event)
    }

    @Test("Every example in the schema is read, and written again with the same values")
    func examples() throws {
        let examples = try #require(schema.root["examples"]).elements
        for example in examples {
            #expect(try json(read(example)) == example)
            #expect(schema.problems(in: example) == [])
        }
        let types = try #require(schema.root["oneOf"]).elements.compactMap { $0["properties"]?["type"]?["const"] }
        #expect(examples.map { $0["type"] } == types, "one example of each type, in the schema's order")
    }

    @Test("What is not known is written as null, and not left out")
    func nulls() throws {
        let gesture = try json(EventExamples.gestureOfUnknownTime)
        #expect(gesture["uncertainty"] == .null)
        let link = try json(EventExamples.linkOverReliableTransport)
        #expect(link["delay"] == .null)
        #expect(link["datagramsMissing"] == .null)
        let haptic = try json(EventExamples.hapticRefused)
        #expect(haptic["playedAt"] == .null)
        #expect(try json(EventExamples.hapticPlayed)["reason"] == .null)
    }

    @Test("An event of an older version, without a field that may be unknown, is read as not known")
    func withoutField() throws {
        let older = try json(EventExamples.hapticRefused).without("playedAt").without("reason")
        guard case .haptic(let haptic) = try read(older) else {
            Issue.record("a haptic was read as something else")
            return
        }
        #expect(haptic.playedAt == nil)
        #expect(haptic.reason == nil)
    }

    @Test("A field of a later version is ignored, and allowed", arguments: EventExamples.all)
    func laterField(_ event: EventRecord) throws {
        let later = try json(event).setting("laterField", to: .object(["by": .string("Ann")]))
        #expect(try read(later) == event)
        #expect(schema.problems(in: later) == [])
    }

    @Test("An event of a type that this version does not know is refused by name, for readers to skip")
    func unknownType() throws {
        let error = #expect(throws: DecodingError.self) { try read(.object(["type": .string("weather")])) }
        #expect("\(try #require(error))".contains("weather"))
    }

    @Test("The schema notices every field that goes missing or turns into nonsense", arguments: EventExamples.all)
    func damaged(_ event: EventRecord) throws {
        let value = try json(event)
        guard case .object(let fields) = value else { return }
        // Measures are the one field that is an object, and may be left out.
        for field in fields.keys.sorted() where field != "measures" {
            #expect(schema.problems(in: value.without(field)) != [], "without \(field)")
            #expect(schema.problems(in: value.setting(field, to: .object([:]))) != [], "\(field) as an object")
        }
    }
}
