import Testing
import WireProtocol

@Suite("Token buckets")
struct TokenBucketTests {
    @Test("As many as it is deep are taken at once, then so many a second, and what is refused costs nothing")
    func taking() {
        var bucket = TokenBucket(perSecond: 1, depth: 20)
        func taken(at second: Int64, of count: Int) -> Int {
            (0..<count).filter { _ in bucket.take(at: second * 1_000_000_000) }.count
        }
        let (atOnce, after, later) = (taken(at: 100, of: 500), taken(at: 103, of: 10), taken(at: 4_000, of: 500))
        #expect((atOnce, after, later) == (20, 3, 20))
        // A clock that was set back brings nothing, nor does it when it is where it was.
        let (back, again) = (taken(at: 50, of: 10), taken(at: 4_000, of: 10))
        #expect((back, again) == (0, 0))
        #expect(taken(at: 4_002, of: 10) == 2)
    }

    @Test("No time that anybody claims traps it")
    func extremes() {
        var bucket = TokenBucket(perSecond: 1, depth: 1)
        let taken = [Int64.min, .max, .min, 0, .max].map { bucket.take(at: $0) }
        #expect(taken == [true, true, false, false, false])
    }
}
