import AllocationCount
import Foundation
import Testing
import WireProtocol

@testable import Datagrams
@testable import Roomful

@Suite("Memory on the motion path", .enabled(if: allocations_are_counted(), "a sanitizer has the allocator"))
struct AllocationTests {
    @Test("The counter counts: each array of its own is one allocation at least")
    func control() {
        let before = allocation_count()
        for count in 1...100 { withExtendedLifetime([UInt8](repeating: 1, count: count)) {} }
        #expect(allocation_count() - before >= 100)
    }

    @Test(
        "Where it is demanded, libsodium is there: the next test has something to run with",
        .enabled(if: Tools.areDemanded && ProcessInfo.processInfo.environment["ROOMFUL_NO_SODIUM"] == nil))
    func sodium() { #expect(!fastSuites.isEmpty) }

    @Test(
        "10,000 datagrams are sealed, sent, received and opened without allocating for any of them",
        .enabled(if: !fastSuites.isEmpty, "libsodium is not installed; swift-crypto allocates"), arguments: fastSuites)
    func motionPath(suite: CipherSuite) throws {
        let cipher = try #require(SodiumCipher(suite))
        let (host, pad) = (try DatagramSocket(), try DatagramSocket())
        let (outgoing, incoming) = (OutgoingBatch(), IncomingBatch())
        let address = PeerAddress(ipv4: 0x7F00_0001, port: host.address.port)

        /// One batch there and back: how many of its datagrams arrived and opened.
        func round(_ first: UInt32) throws -> Int {
            var number = first
            while !outgoing.isFull {
                let datagram = UnsafeMutableRawBufferPointer(rebasing: outgoing.room[..<104])
                datagram.storeBytes(of: number, as: UInt32.self)
                LinkCipher.sodium(cipher).seal(datagram, headerLength: 9, key: .counting, number: number)
                outgoing.append(104, to: address)
                number += 1
            }
            pad.send(outgoing)
            var opened = 0
            while opened < 64, host.wait(atMost: .seconds(5)) == .datagrams {
                for index in 0..<(try host.receive(into: incoming)) {
                    let datagram = incoming[index]
                    let number = datagram.load(as: UInt32.self)
                    let isOurs = LinkCipher.sodium(cipher)
                        .open(datagram, headerLength: 9, key: .counting, number: number)
                    if isOurs, incoming.sender(at: index).port == pad.address.port { opened += 1 }
                }
            }
            return opened
        }

        _ = try round(0)  // whatever is made once is made now
        let before = allocation_count()
        var opened = 0
        for batch in 1...157 { opened += try round(UInt32(batch) * 64) }
        let allocations = allocation_count() - before
        #expect(opened == 157 * 64)
        #expect(allocations <= 5)
    }
}

/// The suites that libsodium seals by on this machine.
private let fastSuites = CipherSuite.allCases.filter { SodiumCipher($0) != nil }
