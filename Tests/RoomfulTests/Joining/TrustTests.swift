import Foundation
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Identity
@testable import RoomServer
@testable import Roomful

@Suite("Whom a controller trusts")
struct TrustTests {
    private static func pin(_ number: UInt8) -> Pin { Pin(bytes: [UInt8](repeating: number, count: 32))! }
    private static func id(_ number: UInt8) -> RoomID { RoomID(bytes: [UInt8](repeating: number, count: 16))! }

    /// A host that proves to have key `pin` and says to be room `room`, called `name`.
    private func judge(
        _ expectation: ExpectedRoom = ExpectedRoom(), pin: UInt8 = 1, room: UInt8 = 1, says: UInt8? = nil,
        name: String = "Living Room", known: KnownHosts = KnownHosts()
    ) throws(JoinError) -> (host: HostIdentity, isVouchedFor: Bool) {
        try expectation.judge(
            ChainVerifier.Finding(pin: Self.pin(pin), roomID: Self.id(room)),
            RoomGreeting(room: Self.id(says ?? room).description, name: name, game: nil, policy: "open"), known: known,
            file: "/state/known_hosts")
    }

    private func code(_ body: () throws(JoinError) -> Void) -> JoinError.Code? {
        do throws(JoinError) {
            try body()
            return nil
        } catch { return error.code }
    }

    private func knowing(_ room: UInt8, pin: UInt8, _ name: String = "Living Room") -> KnownHosts {
        var known = KnownHosts()
        known.remember(
            KnownHosts.Entry(
                roomID: Self.id(room), pin: Self.pin(pin), name: name, firstSeen: Date(timeIntervalSince1970: 0),
                lastAddress: ""))
        return known
    }

    @Test("Nobody vouches for a room never seen; a known one vouches for itself")
    func firstUse() throws {
        #expect(try judge().isVouchedFor == false)
        #expect(try judge(known: knowing(1, pin: 1)).isVouchedFor)
    }

    @Test("A known room's changed key is a hard stop, even for whoever has a ticket for the new key")
    func changed() {
        let known = knowing(1, pin: 1)
        #expect(code { () throws(JoinError) in _ = try judge(pin: 2, known: known) } == .pinChanged)
        let ticket = ExpectedRoom(name: "Living Room", pin: Self.pin(2), roomID: Self.id(1))
        #expect(code { () throws(JoinError) in _ = try judge(ticket, pin: 2, known: known) } == .pinChanged)
    }

    @Test("Another room under a known name is refused, unless somebody gives its fingerprint")
    func namesake() throws {
        let known = knowing(1, pin: 1)
        #expect(code { () throws(JoinError) in _ = try judge(pin: 2, room: 2, known: known) } == .nameBelongsToAnother)
        #expect(try judge(ExpectedRoom(pin: Self.pin(2)), pin: 2, room: 2, known: known).isVouchedFor)
    }

    @Test("The room in which a controller plays cannot send it to another under a known room's name")
    func sentOn() throws {
        let known = knowing(1, pin: 1)
        let namesake = ExpectedRoom(name: "living room", pin: Self.pin(2), roomID: Self.id(2), isMoved: true)
        #expect(
            code { () throws(JoinError) in _ = try judge(namesake, pin: 2, room: 2, known: known) }
                == .nameBelongsToAnother)
        let other = ExpectedRoom(name: "Attic", pin: Self.pin(2), roomID: Self.id(2), isMoved: true)
        #expect(try judge(other, pin: 2, room: 2, known: known).isVouchedFor)
        let back = ExpectedRoom(name: "Living Room", pin: Self.pin(1), roomID: Self.id(1), isMoved: true)
        #expect(try judge(back, known: known).isVouchedFor)
    }

    @Test("What was asked for by name is judged under that name, whatever the host calls itself")
    func alias() {
        let known = knowing(1, pin: 1)
        let asked = ExpectedRoom(name: "Living Room")
        let verdict = code { () throws(JoinError) in _ = try judge(asked, pin: 2, room: 2, name: "Other", known: known)
        }
        #expect(verdict == .nameBelongsToAnother)
    }

    @Test("A host that says to be another room than its certificate shows is not trusted")
    func contradiction() {
        #expect(code { () throws(JoinError) in _ = try judge(says: 2) } == .untrusted)
    }

    @Test("A ticket is for one room: the right key in another room will not do")
    func otherRoom() {
        let ticket = ExpectedRoom(name: "Living Room", pin: Self.pin(1), roomID: Self.id(1))
        #expect(code { () throws(JoinError) in _ = try judge(ticket, room: 2) } == .untrusted)
    }
}
