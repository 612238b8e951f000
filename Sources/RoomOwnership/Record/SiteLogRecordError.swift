/// Why bytes of a room's log are no record that this version reads.
package enum SiteLogRecordError: Error, Hashable, Sendable {
    /// It ends before what it announces.
    case truncated
    /// Bytes; more than ``SiteLogRecord/maximumSize``.
    case tooLong(Int)
    /// Written by a later version, which may mean anything by it.
    case unknownMajor(UInt8)
    /// A kind that may bear on who owns the room (below 128), and that this version does not know.
    case unknownKind(UInt8)
    case unknownCause(UInt8)
    case headerLength(Int)
    /// 0, or more than anybody can have counted to.
    case epoch(UInt64)
    /// The last event's number is smaller than the count of events, or larger than anybody can have counted to.
    case eventNumber
    case tooManyItems(Int)
    /// Bytes; more than ``SiteLogRecord/maximumItemSize``.
    case itemTooLong(Int)
    /// Bytes behind the end of a record that should end here.
    case trailingBytes(Int)
}

extension SiteLogRecordError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .truncated: "it is cut off"
        case .tooLong(let size): "\(size) bytes are more than \(SiteLogRecord.maximumSize)"
        case .unknownMajor(let major):
            "it is of version \(major) and this program reads \(SiteLogRecord.major): install the same version on all hosts"
        case .unknownKind(let kind): "kind \(kind) is not known here: install the same version on all hosts"
        case .unknownCause(let cause):
            "a claim for reason \(cause) is not known here: install the same version on all hosts"
        case .headerLength(let length): "a header of \(length) bytes cannot be"
        case .epoch(let epoch): "epoch \(epoch) cannot be"
        case .eventNumber: "its event numbers cannot be"
        case .tooManyItems(let count): "\(count) items are more than \(SiteLogRecord.maximumItems)"
        case .itemTooLong(let size): "an item of \(size) bytes is more than \(SiteLogRecord.maximumItemSize)"
        case .trailingBytes(let count): "\(count) bytes lie behind its end"
        }
    }
}
