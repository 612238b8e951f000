import Crypto
import Foundation
import Identity
import NIOCore
import NIOSSL
import SwiftASN1
import Synchronization
import WireProtocol
import X509

/// Looks at the certificate that a waiting controller shows in one handshake.
final class CallHandshake: Sendable {
    private let expected: Pin?
    private let shown = Mutex<Pin?>(nil)
    private let isRoomsOwn = Mutex(false)

    /// - Parameter expected: what was announced; `nil` takes anyone.
    init(expecting expected: Pin?) { self.expected = expected }

    /// The pin that the controller showed, whether it is the expected one or not.
    var pin: Pin? { shown.withLock { $0 } }

    /// The other side shows a room's authority: it is a host's port.
    var isRoom: Bool { isRoomsOwn.withLock { $0 } }

    /// Nothing was shown yet, or what was expected.
    var isAsExpected: Bool { pin == nil || expected == nil || pin == expected }

    /// The callback for the handler. That the controller has the key, TLS itself proves.
    var verification: NIOSSLCustomVerificationCallback {
        { [self] chain, promise in
            guard let der = chain.first.flatMap({ try? $0.toDERBytes() }), let leaf = try? Certificate(derEncoded: der)
            else { return promise.succeed(.failed) }
            shown.withLock { $0 = leaf.pin }
            let others = chain.dropFirst().prefix(ChainVerifier.longestChain).compactMap { try? $0.toDERBytes() }
            if others.contains(where: { (try? Certificate(derEncoded: $0)).flatMap { RoomID(of: $0) } != nil }) {
                isRoomsOwn.withLock { $0 = true }
                return promise.succeed(.failed)
            }
            promise.succeed(expected == nil || expected == leaf.pin ? .certificateVerified : .failed)
        }
    }
}
