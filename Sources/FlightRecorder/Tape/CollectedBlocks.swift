/// Memory for blocks that are taken out one after the other, where nobody else waits for them.
package final class CollectedBlocks: BlockSupply {
    private var blocks: [[UInt8]] = []
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: TapeWriter.blockSize, alignment: 8)

    package init() {}
    deinit { memory.deallocate() }

    package func lend() -> UnsafeMutableRawBufferPointer? { memory }
    package func take(_ count: Int) { blocks.append(Array(memory[..<count])) }

    /// The full blocks so far; they are handed out once.
    package func takeBlocks() -> [[UInt8]] {
        defer { blocks.removeAll(keepingCapacity: true) }
        return blocks
    }
}
