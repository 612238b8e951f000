import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// Sends files to browsers region by region: each connection has one under way, and all of them together a bounded number.
///
/// Where there is no room for one more, the transfer gives way whose region has waited longest for its reader. Who takes
/// nothing for 30 s is let go anyhow (`UnreadLimit`).
final class FileTransfers: Sendable {
    /// 16 MiB for everybody together.
    static let most = (16 << 20) / WebFile.region

    private struct Region {
        var id: UInt64
        var giveWay: @Sendable () -> Void
    }

    private struct State {
        /// Under way, in the order in which they were begun.
        var regions: [Region] = []
        var next: UInt64 = 0
    }

    private let state = Mutex(State())
    private let most: Int

    init(most: Int = FileTransfers.most) { self.most = most }

    /// Regions that are under way.
    var underWay: Int { state.withLock { $0.regions.count } }

    /// Takes a place for one region; another transfer gives way if there is none.
    func begin(_ giveWay: @escaping @Sendable () -> Void) -> UInt64 {
        let (id, displaced) = state.withLock { state in
            let displaced = state.regions.count >= most ? state.regions.removeFirst() : nil
            state.next += 1
            state.regions.append(Region(id: state.next, giveWay: giveWay))
            return (state.next, displaced)
        }
        displaced?.giveWay()
        return id
    }

    /// The region has left, or never will.
    func end(_ id: UInt64) { state.withLock { state in state.regions.removeAll { $0.id == id } } }

    /// Writes the body of an answer whose head is written, and its end. Closes the connection if that cannot be done: a
    /// body that is shorter than it was said to be must not look whole.
    func send(_ file: WebFile, on channel: any Channel) async {
        var offset = 0
        do {
            while offset < file.size {
                let from = offset
                let region = try await NIOThreadPool.singleton.runIfActive { file.read(from: from) }
                guard region.readableBytes > 0 else { throw ChannelError.eof }
                offset += region.readableBytes
                let id = begin { channel.close(promise: nil) }
                defer { end(id) }
                try await channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(region)))
            }
            try await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
        } catch {
            channel.close(promise: nil)
        }
    }
}
