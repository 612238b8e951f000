package import Foundation
import Identity

/// The same JSON, of which nothing moves a terminal: a file is a stranger's.
package func printableJSON(_ json: Data) throws -> Data {
    func clean(_ value: Any) -> Any {
        switch value {
        case let text as String: printable(text)
        case let list as [Any]: list.map(clean)
        case let object as [String: Any]: object.mapValues(clean)
        default: value
        }
    }
    return try JSONSerialization.data(withJSONObject: clean(try JSONSerialization.jsonObject(with: json)))
}
