import AllocationCount
import SessionCoordinator
import Testing
import WireProtocol

@Suite("Memory on the host's motion path", .enabled(if: allocations_are_counted(), "a sanitizer has the allocator"))
struct AllocationTests {
    @Test(
        "In the steady state neither a datagram nor a feedback allocates",
        .enabled(if: isOptimised, "without the optimiser every access to an array's element allocates: use -c release"))
    func steadyState() throws {
        var room = HostedRoom(RoomConfiguration(policy: .open))
        var pad = try #require(Pad(room.invite(Guest(1))?.seat))
        var datagrams: [[UInt8]] = []
        // A repeat of the sample before, and now and then a hole that is filled later.
        for index: UInt32 in 1..<2_001 { datagrams.append(pad.samples(index - 1..<index + 1, floor: index - 1)) }
        for place in stride(from: 10, to: 2_000, by: 50) { datagrams.swapAt(place, place + 2) }
        let feedback = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_200, alignment: 16)
        defer { feedback.deallocate() }
        var coordinator = room.coordinator
        var sink = NoMotionSink()
        var (answered, counted) = (0, UInt64(0))
        for place in datagrams.indices {
            let now = HostTime.ms(Double(place) * 10)
            if place == 500 { (answered, counted) = (0, allocation_count()) }
            datagrams[place].withUnsafeMutableBytes {
                coordinator.receive($0, from: pad.address, arrivedAt: now, now: now, cipher: TestCipher(), sink: &sink)
            }
            while coordinator.nextFeedback(into: feedback, now: now, cipher: TestCipher()) != nil { answered += 1 }
        }
        let allocations = allocation_count() - counted
        #expect(answered > 70)
        #expect(coordinator.report(of: 0, now: .s(20))?.datagrams.unique == 2_000)
        #expect(allocations <= 5, "\(allocations) in 1,500 datagrams and \(answered) feedbacks")
    }
}

#if DEBUG
private let isOptimised = false
#else
private let isOptimised = true
#endif
