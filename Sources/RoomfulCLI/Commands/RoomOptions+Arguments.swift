public import ArgumentParser
public import Roomful
import WireProtocol

extension RoomOptions.Names: ExpressibleByArgument {}
extension RoomOptions.Policy: ExpressibleByArgument {}
extension RoomOptions.Mode: ExpressibleByArgument {}

extension RoomOptions.HTTP {
    /// As `--http` says it: a port, `any` or `off`.
    static func named(_ text: String) throws -> RoomOptions.HTTP {
        switch text {
        case "off": return .off
        case "any": return .any
        default:
            guard let port = UInt16(text) else {
                throw RoomError(.badOption, "--http takes a port, any or off, not \"\(text)\"")
            }
            return .port(port)
        }
    }
}
