import RoomOwnership
import RoomRecords

/// A change of a room's heritage as it is sealed: with whose time it was told in, so that nobody tells it again in another's.
///
/// Hosts of before 2026-11-28 read the change alone, and leave the mark out.
struct ToldItem: Codable {
    struct Mark: Hashable {
        /// Epoch, host and run of its program.
        var tenure: String
        /// Greater than that of all that was told before in this time.
        var number: UInt64
    }

    private enum Key: String, CodingKey {
        case tenure = "of"
        case number = "n"
    }

    var item: HeritageItem
    var mark: Mark?

    init(_ item: HeritageItem, _ mark: Mark?) { (self.item, self.mark) = (item, mark) }

    init(from decoder: any Decoder) throws {
        item = try HeritageItem(from: decoder)
        let values = try decoder.container(keyedBy: Key.self)
        let number = try values.decodeIfPresent(UInt64.self, forKey: .number)
        mark = try values.decodeIfPresent(String.self, forKey: .tenure).map { Mark(tenure: $0, number: number ?? 0) }
    }

    func encode(to encoder: any Encoder) throws {
        try item.encode(to: encoder)
        guard let mark else { return }
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(mark.tenure, forKey: .tenure)
        try values.encode(mark.number, forKey: .number)
    }

    static func tenure(_ epoch: OwnershipEpoch, of owner: OwnerID) -> String {
        "\(epoch).\(String(owner.host, radix: 16)).\(String(owner.life, radix: 16))"
    }
}
