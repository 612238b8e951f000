import Foundation
public import InputMerge
import PrivateFiles
import TOMLKit
public import WireProtocol

/// The gestures of a room as an operator writes them: a TOML file, a table for each gesture.
///
/// ```toml
/// [jump]
/// push = 1.9          # in g
/// refractory = 500    # in ms
///
/// [tap]
/// enabled = false
///
/// [hop]               # another gesture by the rule of one that is built in
/// like = "jump"
/// minimumFlight = 120
/// ```
/// What is not written stays as it is built in.
public enum GestureFile {
    /// The longest file that is read, in bytes.
    package static let longest = 262_144

    /// - Parameter usual: what is watched for where the file does not speak of it.
    /// - Throws: ``RoomError`` with code `badOption`, naming file, key and range.
    public static func read(
        _ path: String, changing usual: [GestureDefinition] = GestureDefinition.usual
    ) throws(RoomError) -> [GestureDefinition] {
        let text: String
        do throws(StorageError) {
            text = try handedInText(path, limit: longest)
        } catch {
            throw RoomError(
                .badOption,
                "cannot take \(path): it must be a file that this user may read, text of at most \(longest / 1_024) KiB"
            )
        }
        return try parse(text, from: path, changing: usual)
    }

    /// - Parameters:
    ///   - file: what errors call it.
    ///   - usual: what is watched for where the text does not speak of it.
    public static func parse(
        _ text: String, from file: String, changing usual: [GestureDefinition] = GestureDefinition.usual
    ) throws(RoomError) -> [GestureDefinition] {
        let table = try openedTOML(
            text, from: file, namelessHeader: "a gesture begins with its name, as in [jump]")
        var gestures = usual
        for name in table.keys.sorted() {
            guard let body = table[name]?.table else {
                throw RoomError(.badOption, "\(file): \"\(name)\" stands outside of a gesture; begin with [jump], say")
            }
            var gesture = try definition(name, body, file)
            if let isOn = body["enabled"] {
                guard let isOn = isOn.bool else {
                    throw RoomError(.badOption, "\(file): \(name).enabled must be true or false")
                }
                if !isOn {
                    gestures.removeAll { $0.kind == gesture.kind }
                    continue
                }
            }
            try set(body, in: &gesture, file)
            if let place = gestures.firstIndex(where: { $0.kind == gesture.kind }) {
                gestures[place] = gesture
            } else {
                gestures.append(gesture)
            }
        }
        if gestures.isEmpty { throw RoomError(.badOption, "\(file): every gesture is off") }
        return gestures
    }

    private static func definition(
        _ name: String, _ body: TOMLTable, _ file: String
    ) throws(RoomError) -> GestureDefinition {
        let known = GestureDefinition.all.map(\.kind.rawValue)
        let model = body["like"]?.string ?? name
        if let found = GestureDefinition.all.first(where: { $0.kind.rawValue == model }) {
            guard (1...40).contains(name.utf8.count) else {
                throw RoomError(.badOption, "\(file): a gesture's name has 1 to 40 bytes, not \"\(name)\"")
            }
            return GestureDefinition(GestureKind(rawValue: name), found.rule)
        }
        let near = nearestWord(to: model, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
        throw RoomError(
            .badOption, "\(file): no gesture is called \"\(model)\"\(near) There are: \(known.joined(separator: ", "))")
    }

    private static func set(
        _ body: TOMLTable, in gesture: inout GestureDefinition, _ file: String
    ) throws(RoomError) {
        let name = gesture.kind.rawValue
        for key in body.keys where !gesture.parameters.contains(where: { $0.key == key }) {
            if key == "like" || key == "enabled" { continue }
            throw RoomError(.badOption, "\(file): \(gesture.set(key, to: 0) ?? key)")
        }
        // In the rule's order: a range may depend on values before it.
        for parameter in gesture.parameters {
            guard let value = body[parameter.key] else { continue }
            guard let number = reading(value, of: parameter) else {
                let words =
                    parameter.isAxis
                    ? " (0, 1 or 2), or \"x\", \"y\" or \"z\"" : parameter.isFlag ? ", or true or false" : ""
                throw RoomError(.badOption, "\(file): \(name).\(parameter.key) must be a number\(words)")
            }
            if let problem = gesture.set(parameter.key, to: number) {
                throw RoomError(.badOption, "\(file): \(problem)")
            }
        }
        if let problem = gesture.problem { throw RoomError(.badOption, "\(file): \(problem)") }
    }

    private static func reading(_ value: any TOMLValueConvertible, of parameter: GestureParameter) -> Double? {
        if parameter.isAxis, let letter = value.string { return ["x": 0, "y": 1, "z": 2][letter] }
        if parameter.isFlag, let isOn = value.bool { return isOn ? 1 : 0 }
        return value.double ?? value.int.map(Double.init)
    }

    /// A file that says what is built in, to begin with.
    public static var example: String {
        var text = "# Roomful's gestures. Delete what should stay as it is built in; durations are in ms.\n"
        for gesture in GestureDefinition.usual { text += "\n" + table(of: gesture) }
        text += "\n# For comparison, the threshold of the paper: watched for where its table stands here.\n"
        return text + table(of: .keepCalmJump).split(separator: "\n").map { "# \($0)\n" }.joined()
    }

    private static func table(of gesture: GestureDefinition) -> String {
        gesture.parameters.reduce(into: "[\(gesture.kind.rawValue)]\n") { text, parameter in
            let range = "\(number(parameter.range.lowerBound)) to \(number(parameter.range.upperBound))"
            text += "\(parameter.key) = \(number(parameter.value))  # \(parameter.unit): \(range)\n"
        }
    }

    private static func number(_ value: Double) -> String {
        let rounded = (value * 1e4).rounded() / 1e4
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}
