import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("The way to a peer: RFC 9000, section 9.3")
struct PathTests {
    private func makeLink() -> Link {
        let key = LinkKey(a: 1, b: 2, c: 3, d: 4)
        return Link(
            connection: ConnectionID(index: 0, generation: 1), motionKey: key, feedbackKey: key, probeKey: key,
            budget: PeerBudget([]))
    }

    @Test("Only a datagram with a number above all others moves the way; one that was overtaken does not move it back")
    func onlyNewestMoves() {
        var link = makeLink()
        link.noteArrival(from: .lan(2), bytes: 100, isNewest: true, probesSent: 0)
        #expect(link.address == .lan(2))
        link.noteArrival(from: .lan(3), bytes: 100, isNewest: false, probesSent: 0)
        #expect(link.address == .lan(2) && link.pathChanges == 0)
        link.noteArrival(from: .lan(3), bytes: 100, isNewest: true, probesSent: 0)
        #expect(link.address == .lan(3) && link.pathChanges == 1)
    }

    @Test("Until a probe is echoed, at most three times the bytes that came from there are sent there")
    func threeTimes() {
        var link = makeLink()
        link.noteArrival(from: .lan(2), bytes: 100, isNewest: true, probesSent: 0)
        #expect(link.allowance == 300)
        link.noteSent(bytes: 250, at: 0)
        #expect(link.allowance == 50)
        // What comes from elsewhere does not count for this address.
        link.noteArrival(from: .lan(3), bytes: 1_000, isNewest: false, probesSent: 0)
        #expect(link.allowance == 50)
        link.noteArrival(from: .lan(2), bytes: 100, isNewest: false, probesSent: 0)
        #expect(link.allowance == 350)
        link.noteEcho(of: 0)
        #expect(link.isPathValidated && link.allowance == .max)
    }

    @Test("The echo of a probe that was sent to the address before proves nothing about the new one")
    func oldEcho() {
        var link = makeLink()
        link.noteArrival(from: .lan(2), bytes: 100, isNewest: true, probesSent: 5)
        link.noteEcho(of: 5)
        #expect(link.isPathValidated)
        link.noteArrival(from: .lan(3), bytes: 100, isNewest: true, probesSent: 9)
        #expect(!link.isPathValidated && link.allowance == 300)
        link.noteEcho(of: 8)
        #expect(!link.isPathValidated)
        link.noteEcho(of: 9)
        #expect(link.isPathValidated)
    }

    @Test("Whoever guesses at probes is believed no more until the way changes")
    func guessing() {
        var link = makeLink()
        link.noteArrival(from: .lan(2), bytes: 100, isNewest: true, probesSent: 0)
        for _ in 0..<8 { link.noteEcho(of: nil) }
        link.noteEcho(of: 1)
        #expect(!link.isPathValidated)
        link.noteArrival(from: .lan(3), bytes: 100, isNewest: true, probesSent: 2)
        link.noteEcho(of: 2)
        #expect(link.isPathValidated)
    }
}
