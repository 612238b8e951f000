/// Where a host may be reached: one address of perhaps several.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A DNS name or an IP address, perhaps with its interface (`fe80::1%eth0`), without brackets.
    package var host: String
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The value of HTTP's Host header, where an interface has no place (RFC 9110, 7.2; RFC 6874, 3).
    package var hostHeader: String { Endpoint(host: String(host.prefix { $0 != "%" }), port: port).description }
}

extension Endpoint {
    /// `192.168.1.5:7777`, `[::1]:7777`, `games.local` without the port; `nil` where something else follows the name.
    package static func name(ofHost host: String) -> String? {
        var name = host.lowercased()[...]
        var port: Substring = ""
        if name.first == "[" {
            guard let end = name.firstIndex(of: "]") else { return nil }
            port = name[name.index(after: end)...]
            name = name[name.index(after: name.startIndex)..<end]
        } else if let colon = name.firstIndex(of: ":") {
            port = name[colon...]
            name = name[..<colon]
        }
        guard port.isEmpty || port.first == ":" && port.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return nil
        }
        if name.last == "." { name.removeLast() }
        return name.isEmpty ? nil : String(name)
    }
}
