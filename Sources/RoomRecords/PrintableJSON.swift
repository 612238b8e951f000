package import Foundation
import Identity
import WireProtocol

/// The same JSON, of which nothing moves a terminal: who wrote it is a stranger.
///
/// - Parameter keepsLines: whether a text may have several lines, as a ticket has.
package func printableJSON(_ json: Data, keepsLines: Bool = false) throws -> Data {
    func clean(_ text: String) -> String {
        guard keepsLines else { return printable(text) }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
            .joined(separator: "\n")
    }
    func clean(_ value: Any) -> Any {
        switch value {
        case let text as String: clean(text)
        case let list as [Any]: list.map(clean)
        case let object as [String: Any]: object.mapValues(clean)
        default: value
        }
    }
    return try JSONSerialization.data(withJSONObject: clean(try JSONSerialization.jsonObject(with: json)))
}
