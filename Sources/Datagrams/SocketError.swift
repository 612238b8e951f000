internal import Foundation
internal import Glibc

/// Why a socket could not be had or used, in a sentence that says what to do.
package struct SocketError: Error, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    package struct Code: Hashable, Sendable {
        private let name: String

        /// Another program has the port.
        package static let portInUse = Code(name: "portInUse")
        /// Ports below 1024 need privileges.
        package static let notPermitted = Code(name: "notPermitted")
        /// The address is none of this machine's, or of a kind that it does not have.
        static let noSuchAddress = Code(name: "noSuchAddress")
        /// Anything else that the system refused.
        package static let system = Code(name: "system")
    }

    package let code: Code
    /// The system's own number (errno).
    package let number: Int32
    package let description: String

    /// - Parameters:
    ///   - task: What was tried, as the beginning of a sentence: "cannot open UDP port 4000".
    ///   - port: The port that was tried, if one was.
    package init(number: Int32, doing task: String, port: UInt16? = nil) {
        self.number = number
        switch number {
        case EADDRINUSE:
            code = .portInUse
            let search = port.map { " (`ss -ulpn 'sport = :\($0)'` shows which)" } ?? ""
            description = "\(task): another program uses it\(search); stop that program or choose another port"
        case EACCES, EPERM:
            code = .notPermitted
            description = "\(task): not permitted; choose a port above 1023 or run with more privileges"
        case EADDRNOTAVAIL, EAFNOSUPPORT:
            code = .noSuchAddress
            description = "\(task): this machine has no such address; choose one that `ip address` shows"
        default:
            code = .system
            description = "\(task): \(String(cString: strerror(number)))"
        }
    }
}
