import WireProtocol

extension Pin {
    /// As a TXT record spells it: 64 hexadecimal digits, and nothing between them as people may paste it.
    init?(announced text: String) {
        guard text.utf8.count == 64 else { return nil }
        self.init(text)
    }
}
