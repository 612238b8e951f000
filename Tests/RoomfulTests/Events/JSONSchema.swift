/// Checks values against a JSON Schema (draft 2020-12), for the keywords that ours uses.
///
/// A keyword that is not known here is reported as a problem, so that nothing in a schema goes unchecked.
struct JSONSchema {
    let root: JSON

    /// What is wrong with a value, as lines that begin with the place; empty when nothing is.
    func problems(in value: JSON) -> [String] { problems(in: value, at: "$", against: root) }

    /// What only tells people something.
    private static let annotations: Set = ["$schema", "$defs", "title", "description", "examples", "format"]

    private func problems(in value: JSON, at place: String, against schema: JSON) -> [String] {
        guard case .object(let keywords) = schema else { return ["\(place): a schema is an object"] }
        return keywords.sorted { $0.key < $1.key }.flatMap { keyword, argument in
            check(value, at: place, keyword, argument)
        }
    }

    private func check(_ value: JSON, at place: String, _ keyword: String, _ argument: JSON) -> [String] {
        func require(_ holds: Bool) -> [String] { holds ? [] : ["\(place): \(value) breaks \(keyword) \(argument)"] }
        switch (keyword, value) {
        case ("type", _):
            let types = argument.string.map { [$0] } ?? argument.elements.compactMap(\.string)
            return require(types.contains { value.isOf(type: $0) })
        case ("const", _): return require(value == argument)
        case ("enum", _): return require(argument.elements.contains(value))
        case ("minimum", .number(let number)): return require(number >= argument.number ?? .infinity)
        case ("maximum", .number(let number)): return require(number <= argument.number ?? -.infinity)
        case ("minLength", .string(let text)):
            return require(Double(text.unicodeScalars.count) >= argument.number ?? .infinity)
        case ("pattern", .string(let text)):
            let pattern = try? Regex(argument.string ?? "[")
            return require(pattern.flatMap { try? $0.firstMatch(in: text) } != nil)
        case ("minItems", .array(let items)): return require(Double(items.count) >= argument.number ?? .infinity)
        case ("maxItems", .array(let items)): return require(Double(items.count) <= argument.number ?? -.infinity)
        case ("items", .array(let items)):
            return items.enumerated().flatMap { problems(in: $1, at: "\(place)[\($0)]", against: argument) }
        case ("required", .object):
            return argument.elements.compactMap(\.string).filter { value[$0] == nil }
                .map { "\(place): \($0) is missing" }
        case ("properties", .object):
            guard case .object(let properties) = argument else { return require(false) }
            return properties.keys.sorted().flatMap { name in
                value[name].map { problems(in: $0, at: "\(place).\(name)", against: properties[name] ?? .null) } ?? []
            }
        case ("additionalProperties", _): return require(argument == .bool(true))
        case ("oneOf", _): return oneOf(value, at: place, argument.elements)
        case ("$ref", _):
            guard let schema = definition(argument) else { return require(false) }
            return problems(in: value, at: place, against: schema)
        case ("minimum", _), ("maximum", _), ("minLength", _), ("pattern", _), ("minItems", _), ("maxItems", _),
            ("items", _), ("required", _), ("properties", _):
            return []  // They say nothing about values of other types.
        default: return Self.annotations.contains(keyword) ? [] : ["\(place): unknown keyword \(keyword)"]
        }
    }

    /// Exactly one must fit; if none does, what is wrong with the nearest is told.
    private func oneOf(_ value: JSON, at place: String, _ schemas: [JSON]) -> [String] {
        let outcomes = schemas.map { problems(in: value, at: place, against: $0) }
        switch outcomes.count(where: \.isEmpty) {
        case 1: return []
        case 0: return outcomes.min { $0.count < $1.count } ?? ["\(place): nothing is allowed here"]
        case let count: return ["\(place): \(count) alternatives fit"]
        }
    }

    private func definition(_ reference: JSON) -> JSON? {
        let prefix = "#/$defs/"
        guard let text = reference.string, text.hasPrefix(prefix) else { return nil }
        return root["$defs"]?[String(text.dropFirst(prefix.count))]
    }
}

extension JSON {
    fileprivate func isOf(type: String) -> Bool {
        switch (type, self) {
        case ("null", .null), ("boolean", .bool), ("number", .number), ("string", .string), ("array", .array),
            ("object", .object):
            true
        case ("integer", .number(let value)): value.rounded() == value
        default: false
        }
    }
}
