import Datagrams
import RawLoop
import WireProtocol

let datagramLength = 104
let headerLength = 9

/// Keys of 1,000 peers, different from one another.
let keys = (0..<1_000).map { peer in
    LinkKey(a: UInt64(peer), b: 0x9E37_79B9_7F4A_7C15 &* UInt64(peer + 1), c: 3, d: 4)
}

/// Processor time to open one datagram, in nanoseconds, over 2,000 of them.
func openingTime(_ cipher: LinkCipher) -> Double {
    let count = 2_000
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count * datagramLength, alignment: 64)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 7)
    func datagram(_ index: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: memory[index * datagramLength..<(index + 1) * datagramLength])
    }
    for index in 0..<count {
        cipher.seal(datagram(index), headerLength: headerLength, key: keys[index % keys.count], number: UInt32(index))
    }
    var opened = 0
    let start = raw_thread_time()
    for index in 0..<count {
        let isOpen = cipher.open(
            datagram(index), headerLength: headerLength, key: keys[index % keys.count], number: UInt32(index))
        if isOpen { opened += 1 }
    }
    let elapsed = raw_thread_time() - start
    precondition(opened == count, "what was sealed opens")
    return Double(elapsed) / Double(count)
}
