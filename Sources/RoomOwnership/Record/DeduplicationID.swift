/// By which a log knows a record that is sent again (JetStream's `Nats-Msg-Id`).
///
/// Epoch and sequence alone would not do: two standbys that claim the same silent room at once name the same epoch and
/// sequence, and the one that came second would be told that "its" record had been taken. So the owner's id is part of it.
package struct DeduplicationID: Hashable, Sendable, CustomStringConvertible {
    package var epoch: OwnershipEpoch
    /// The place in the log that the record is written for.
    package var sequence: UInt64
    package var owner: OwnerID

    package init(epoch: OwnershipEpoch, sequence: UInt64, owner: OwnerID) {
        (self.epoch, self.sequence, self.owner) = (epoch, sequence, owner)
    }

    /// ASCII without spaces, 75 characters at most.
    package var description: String {
        "\(epoch).\(sequence).\(String(owner.host, radix: 16)).\(String(owner.life, radix: 16))"
    }
}
