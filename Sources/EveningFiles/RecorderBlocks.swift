import Dispatch
import FlightRecorder
import Synchronization

/// Memory between a room's thread, which fills blocks, and the recorder's, which writes them: neither waits for the
/// other, and nothing is allocated once it stands.
///
/// ```
/// free ─ lend ▸ the room's thread ─ take ▸ full, in order ▸ the recorder's thread ▸ emptied, in order ─┐
///   └──────────────────────────────── taken back at the next lend ◂──────────────────────────────────────┘
/// ```
/// Two rings, each of one producer and one consumer. The free blocks are a stack: while the recorder keeps up, two or three
/// go to and fro, and the room's thread writes into memory that its processor still has at hand.
/// Unchecked: the memory of a block, and its place in a ring, belong to the room's thread until `filled` has passed them, then
/// to the recorder's until `emptied` has, each with a releasing store and an acquiring load; `free`, `reclaimed` are the
/// room's thread's alone. No ring is ever over-full, as each block is in one place at a time.
package final class RecorderBlocks: BlockSupply, @unchecked Sendable {
    /// 4.5 MiB: some 13 s, as a block is handed on every 0.2 s at the latest.
    static let count = 64

    private let memory = UnsafeMutableRawBufferPointer.allocate(
        byteCount: TapeWriter.blockSize * RecorderBlocks.count, alignment: 64)
    private let queue = UnsafeMutableBufferPointer<(block: Int, size: Int)>.allocate(capacity: RecorderBlocks.count)
    private let returns = UnsafeMutableBufferPointer<Int>.allocate(capacity: RecorderBlocks.count)
    private let filled = Atomic(0)
    private let emptied = Atomic(0)
    private var free = Array((0..<RecorderBlocks.count).reversed())
    /// Emptied blocks that are among the free ones again.
    private var reclaimed = 0
    /// Told when a block is there; also when something else is to be written.
    let news = DispatchSemaphore(value: 0)
    /// Told when the recorder's thread has ended.
    let ended = DispatchSemaphore(value: 0)

    init() {
        queue.initialize(repeating: (0, 0))
        returns.initialize(repeating: 0)
    }

    deinit {
        memory.deallocate()
        queue.deallocate()
        returns.deallocate()
    }

    private func block(_ number: Int) -> UnsafeMutableRawBufferPointer {
        let start = number * TapeWriter.blockSize
        return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + TapeWriter.blockSize])
    }

    // MARK: The room's thread

    package func lend() -> UnsafeMutableRawBufferPointer? {
        let emptied = emptied.load(ordering: .acquiring)
        while reclaimed < emptied {
            free.append(returns[reclaimed % Self.count])
            reclaimed += 1
        }
        return free.last.map(block)
    }

    package func take(_ size: Int) {
        guard let lent = free.popLast() else { return }
        let next = filled.load(ordering: .relaxed)
        queue[next % Self.count] = (lent, size)
        filled.store(next + 1, ordering: .releasing)
        news.signal()
    }

    // MARK: The recorder's thread

    /// Blocks that are full now.
    var full: Int { filled.load(ordering: .acquiring) - emptied.load(ordering: .relaxed) }

    /// The next full block's bytes; it is free again when `body` returns. False when there is none.
    func drainOne(_ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        let next = emptied.load(ordering: .relaxed)
        guard next < filled.load(ordering: .acquiring) else { return false }
        let (number, size) = queue[next % Self.count]
        body(UnsafeRawBufferPointer(rebasing: block(number)[..<size]))
        returns[next % Self.count] = number
        emptied.store(next + 1, ordering: .releasing)
        return true
    }
}
