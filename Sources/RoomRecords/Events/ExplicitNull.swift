import Datagrams

/// A value that may be unknown, and that JSON then writes as `null` instead of leaving the field out.
///
/// A reader thus tells "this host does not know" (`null`) from "this version does not say" (no such field). When
/// reading, both are `nil`.
@propertyWrapper
package struct ExplicitNull<Value: Hashable & Sendable & Codable>: Hashable, Sendable {
    package var wrappedValue: Value?

    package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
}

extension ExplicitNull: Codable {
    package init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Value?.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension KeyedDecodingContainer {
    /// What the compiler's own `init(from:)` calls for a field of this kind.
    package func decode<Value>(_: ExplicitNull<Value>.Type, forKey key: Key) throws -> ExplicitNull<Value> {
        ExplicitNull(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
    }
}
