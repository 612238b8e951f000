import WireProtocol

/// No key seals two datagrams under one number, over all lives of the host, and every feedback bears the seal of the key
/// that its link was given. It knows what the host granted and what the network saw, and nothing of its memory.
struct NonceLaw: Law, Sendable {
    private struct Seal: Hashable {
        let key: LinkKey
        let number: UInt32
    }

    private var granted: Set<LinkKey> = []
    private var keys: [ConnectionID: LinkKey] = [:]
    private var used: Set<Seal> = []
    var problems: [String] = []

    mutating func grants(_ link: LinkGrant) {
        let both = [link.motionKey, link.feedbackKey].map { Hexadecimal.decode($0).flatMap { LinkKey(bytes: $0) } }
        // A browser gets none: TLS seals what it sends.
        guard let motion = both[0], let feedback = both[1] else { return }
        for key in [motion, feedback] where !granted.insert(key).inserted { problems.append("a key was granted twice") }
        keys[ConnectionID(rawValue: link.connection)] = feedback
    }

    /// A feedback left the host over UDP.
    mutating func leaves(_ feedback: [UInt8]) {
        guard let header = feedback.withUnsafeBytes({ try? DatagramHeader(reading: $0) }),
            let key = keys[header.connection]
        else { return problems.append("feedback left on a link that nobody was given") }
        if !used.insert(Seal(key: key, number: header.number)).inserted {
            problems.append("number \(header.number) was used twice under one key")
        }
        var bytes = feedback
        let opens = bytes.withUnsafeMutableBytes {
            ToyCipher().open($0, headerLength: DatagramHeader.size, key: key, number: header.number)
        }
        if !opens { problems.append("feedback bears another seal than its link's") }
    }
}
