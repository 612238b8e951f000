import Crypto
import Datagrams
package import FlightRecorder
import Foundation
import RoomEngine
package import RoomRecords
import SessionCoordinator
package import WireProtocol

/// A tape as it is kept where people shall not be known from it: other blocks, and the events that they lead to.
package struct RewrittenTape {
    private var rewriter: TapeRewriter
    private let cipher: LinkCipher
    private var events: Int

    /// - Parameters:
    ///   - opening: what the old tape begins with.
    ///   - still: whose motion is left out.
    ///   - stillSources: from where unsealed frames of theirs came.
    package init(
        _ opening: Opening, identities: TapedIdentities, still: Set<ControllerID> = [],
        stillSources: Set<PeerAddress> = []
    ) {
        rewriter = TapeRewriter(opening, identities: identities, still: still, stillSources: stillSources)
        cipher = LinkCipher.preferred(for: opening.configuration.room.suite)
        events = Int(clamping: opening.eventNumber)
    }

    package var opening: Opening { rewriter.opening }
    /// Datagrams whose controller the old tape does not tell: their motion is left out, too.
    package var unowned: UInt64 { rewriter.unowned }
    /// Where the new tape first led to anything else; known to the end with the last blocks.
    package var difference: TapeRewriter.Difference? { rewriter.difference }

    /// Plays a block of the old tape; `tell` hears each event that a recording holds, and when it was told.
    package mutating func take(_ bytes: ArraySlice<UInt8>, _ tell: (EventRecord, HostTime) -> Void) throws(TapeError) {
        var block = try TapeBlock(bytes)
        while let (entry, now) = try block.next() {
            rewriter.take(entry, at: now, cipher: cipher)
            for case .event(let event) in rewriter.outputs {
                var record = EventRecord(event, openedAt: opening.openedAt)
                guard record.isNumbered else { continue }
                events += 1
                record.number = events
                tell(record, now)
            }
        }
    }

    /// The new tape's blocks so far; with `isLast` also the one that is not full.
    package mutating func takeBlocks(isLast: Bool) -> [[UInt8]] { rewriter.takeBlocks(isLast: isLast) }
}

extension TapedIdentities {
    /// Labels by HMAC-SHA-256 (RFC 2104).
    ///
    /// - Parameter only: who gets one; `nil` for everyone.
    package init(key: [UInt8], only: Set<ControllerID>? = nil) {
        let key = SymmetricKey(data: key)
        self.init(only: only) { text in
            Array(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
        }
    }
}
