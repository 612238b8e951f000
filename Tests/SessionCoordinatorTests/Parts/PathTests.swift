import Testing
import WireProtocol

@testable import SessionCoordinator

@Suite("The way to a peer: RFC 9000, section 9.3")
struct PathTests {
    @Test("Only a datagram with a number above all others moves the way; one that was overtaken does not move it back")
    func onlyNewestMoves() {
        var path = LinkPath()
        path.noteArrival(from: .lan(2), bytes: 100, isNewest: true, probesSent: 0)
        #expect(path.address == .lan(2))
        path.noteArrival(from: .lan(3), bytes: 100, isNewest: false, probesSent: 0)
        #expect(path.address == .lan(2) && path.changes == 0)
        path.noteArrival(from: .lan(3), bytes: 100, isNewest: true, probesSent: 0)
        #expect(path.address == .lan(3) && path.changes == 1)
    }

    @Test("Answers leave from the address that the newest datagram dialled, which proves nothing about the peer")
    func dialled() {
        let (first, second) = (OwnAddress(high: 0, low: 1), OwnAddress(high: 0, low: 2))
        var path = LinkPath()
        path.noteArrival(from: .lan(2), to: first, bytes: 100, isNewest: true, probesSent: 0)
        path.noteEcho(of: 0)
        path.noteArrival(from: .lan(2), to: second, bytes: 100, isNewest: false, probesSent: 1)
        #expect(path.own == first)
        path.noteArrival(from: .lan(2), to: second, bytes: 100, isNewest: true, probesSent: 1)
        #expect(path.own == second && path.address == .lan(2) && path.changes == 0 && path.isValidated)
    }

    @Test("Until a probe is echoed, at most three times the bytes that came from there are sent there")
    func threeTimes() {
        var path = LinkPath()
        path.noteArrival(from: .lan(2), bytes: 100, isNewest: true, probesSent: 0)
        #expect(path.allowance == 300)
        path.noteSent(bytes: 250)
        #expect(path.allowance == 50)
        // What comes from elsewhere does not count for this address.
        path.noteArrival(from: .lan(3), bytes: 1_000, isNewest: false, probesSent: 0)
        #expect(path.allowance == 50)
        path.noteArrival(from: .lan(2), bytes: 100, isNewest: false, probesSent: 0)
        #expect(path.allowance == 350)
        path.noteEcho(of: 0)
        #expect(path.isValidated && path.allowance == .max)
    }

    @Test("The echo of a probe that was sent to the address before proves nothing about the new one")
    func oldEcho() {
        var path = LinkPath()
        path.noteArrival(from: .lan(2), bytes: 100, isNewest: true, probesSent: 5)
        path.noteEcho(of: 5)
        #expect(path.isValidated)
        path.noteArrival(from: .lan(3), bytes: 100, isNewest: true, probesSent: 9)
        #expect(!path.isValidated && path.allowance == 300)
        path.noteEcho(of: 8)
        #expect(!path.isValidated)
        path.noteEcho(of: 9)
        #expect(path.isValidated)
    }

    @Test("Whoever guesses at probes is believed no more until the way changes")
    func guessing() {
        var path = LinkPath()
        path.noteArrival(from: .lan(2), bytes: 100, isNewest: true, probesSent: 0)
        for _ in 0..<8 { path.noteEcho(of: nil) }
        path.noteEcho(of: 1)
        #expect(!path.isValidated)
        path.noteArrival(from: .lan(3), bytes: 100, isNewest: true, probesSent: 2)
        path.noteEcho(of: 2)
        #expect(path.isValidated)
    }

    @Test("What was sent to the address before does not count for the new one, nor does what came from there")
    func newAddress() {
        var path = LinkPath()
        path.noteArrival(from: .lan(2), bytes: 1_000, isNewest: true, probesSent: 0)
        path.noteSent(bytes: 2_900)
        path.noteArrival(from: .lan(3), bytes: 100, isNewest: true, probesSent: 0)
        #expect(path.allowance == 300)
        path.noteSent(bytes: 100)
        #expect(path.allowance == 200)
    }
}
