import NIOCore
package import NIOSSL

extension TLSConfiguration {
    /// The application protocol of calls (RFC 7301).
    static let callProtocol = "roomful-call"

    /// What both sides of a call have in common.
    package mutating func asksCaller() {
        minimumTLSVersion = .tlsv13
        applicationProtocols = [Self.callProtocol]
        // The callback takes the place of every check, but is called only if there is one to replace.
        certificateVerification = .noHostnameVerification
        trustRoots = .certificates([])
        // Nobody who goes silent is waited for.
        shutdownTimeout = .milliseconds(200)
    }
}
