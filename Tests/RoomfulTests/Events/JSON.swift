/// Any JSON value, for tests that must see what was written and not what a type makes of it.
enum JSON: Hashable, Codable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// A field of an object; `nil` where there is none, which is not the same as `null`.
    subscript(field: String) -> JSON? {
        if case .object(let fields) = self { fields[field] } else { nil }
    }

    var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
    var number: Double? { if case .number(let value) = self { value } else { nil } }
    var string: String? { if case .string(let value) = self { value } else { nil } }

    /// This object without one of its fields.
    func without(_ field: String) -> JSON { setting(field, to: nil) }

    /// This object with a field set, or removed.
    func setting(_ field: String, to value: JSON?) -> JSON {
        guard case .object(var fields) = self else { return self }
        fields[field] = value
        return .object(fields)
    }
}
