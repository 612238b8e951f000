import Foundation
import WireProtocol
import X509

/// The names that a certificate bears, as a browser would compare them.
struct BorneNames: Hashable, Sendable {
    private let dnsNames: Set<String>
    private let addresses: Set<PeerAddress>

    init(_ certificate: Certificate) {
        let names = (try? certificate.extensions.subjectAlternativeNames) ?? SubjectAlternativeNames()
        dnsNames = Set(
            names.compactMap { name in
                if case .dnsName(let name) = name { name.lowercased() } else { nil }
            })
        addresses = Set(certificate.serverNames.addresses)
    }

    /// Whether `host`, a DNS name or an address without port and brackets, is among them. `*.example.org` stands for
    /// one label (RFC 9525, 6.3).
    func hold(_ host: String) -> Bool {
        if let address = PeerAddress(host: host, port: 0) { return addresses.contains(address) }
        let name = host.lowercased()
        if dnsNames.contains(name) { return true }
        guard let dot = name.firstIndex(of: "."), dot != name.startIndex else { return false }
        return dnsNames.contains("*" + name[dot...])
    }
}
