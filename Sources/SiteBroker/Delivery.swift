/// What the subject to which a delivery would be acknowledged says of it.
///
/// `$JS.ACK.STREAM.CONSUMER.DELIVERED.SEQUENCE.NUMBER.TIME.PENDING`, and with a domain and an account's hash before the
/// stream (NATS's ADR-15); what follows is passed over.
package struct Delivery: Hashable, Sendable {
    /// The record's place in the stream.
    package var sequence: UInt64
    /// Which of this consumer's deliveries it is, from 1.
    package var number: UInt64
    /// When the broker got the record, ns since 1970.
    package var time: UInt64?

    /// `nil` for another subject.
    package init?(reply: String) {
        let tokens = reply.split(separator: ".", omittingEmptySubsequences: false)
        guard tokens.count >= 9, tokens[0] == "$JS", tokens[1] == "ACK" else { return nil }
        let shift = tokens.count >= 11 ? 2 : 0
        guard let sequence = UInt64(tokens[5 + shift]), let number = UInt64(tokens[6 + shift]) else { return nil }
        (self.sequence, self.number, time) = (sequence, number, UInt64(tokens[7 + shift]))
    }
}
