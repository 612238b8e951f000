import Foundation
import Testing

@testable import Connections
@testable import ControllerClient
@testable import Identity
@testable import PeerDiscovery
@testable import RoomServer
@testable import Roomful

@Suite("Which of the rooms of one name is meant")
struct RoomChoiceTests {
    private func room(
        _ name: String, id: UInt8, pin: UInt8? = nil, endpoints: Int = 1, _ reachability: Reachability = .answering
    ) throws -> DiscoveredRoom {
        let id = try #require(RoomID(bytes: [UInt8](repeating: id, count: 16)))
        let pin = pin.flatMap { Pin(bytes: [UInt8](repeating: $0, count: 32)) }
        return DiscoveredRoom(
            id: DiscoveredRoom.Claim(
                room: id, pin: pin, instance: try #require(InstanceName(bytes: Array(name.utf8)))), name: name,
            record: RoomRecord(id: id, pin: pin),
            endpoints: (0..<endpoints).map {
                RoomEndpoint(address: .v4(0x0A00_0001 + UInt32($0)), port: 7_777, interface: 2, interfaceName: "eth0")
            }, liveness: .announced, reachability: reachability)
    }

    private func knows(_ id: UInt8, pin: UInt8) throws -> KnownHosts {
        var known = KnownHosts()
        known.remember(
            KnownHosts.Entry(
                roomID: try #require(RoomID(bytes: [UInt8](repeating: id, count: 16))),
                pin: try #require(Pin(bytes: [UInt8](repeating: pin, count: 32))), name: "Living Room",
                firstSeen: Date(timeIntervalSince1970: 0), lastAddress: ""))
        return known
    }

    private func choose(
        _ matches: [DiscoveredRoom], pin: Pin? = nil, known: KnownHosts = KnownHosts(), nearby: [String] = [],
        _ availability: DiscoveryAvailability = .running
    ) throws(JoinError) -> DiscoveredRoom {
        try chooseAll(matches, pin: pin, known: known, nearby: nearby, availability)[0]
    }

    private func chooseAll(
        _ matches: [DiscoveredRoom], pin: Pin? = nil, known: KnownHosts = KnownHosts(), nearby: [String] = [],
        _ availability: DiscoveryAvailability = .running
    ) throws(JoinError) -> [DiscoveredRoom] {
        try RoomChoice(name: "Living Room", pin: pin, known: known)
            .choose(from: matches, nearby: nearby, availability: availability)
    }

    private func error(_ body: () throws(JoinError) -> DiscoveredRoom) -> JoinError? {
        do throws(JoinError) {
            _ = try body()
            return nil
        } catch { return error }
    }

    @Test("Where the fingerprint is given, all who claim it are tried, and TLS finds out which of them has it")
    func severalClaimants() throws {
        let pin = try #require(Pin(bytes: [UInt8](repeating: 9, count: 32)))
        let (real, forged) = (try room("Living Room", id: 1, pin: 9), try room("Living Room", id: 2, pin: 9, .silent))
        #expect(try chooseAll([forged, real], pin: pin) == [real, forged])
    }

    @Test("Nobody waits for namesakes once the room is there that is known, with an address")
    func settled() throws {
        func isSettled(_ rooms: [DiscoveredRoom], pin: Pin? = nil, known: KnownHosts = KnownHosts()) -> Bool {
            RoomChoice(name: "Living Room", pin: pin, known: known).isSettled(by: rooms)
        }
        let pin = try #require(Pin(bytes: [UInt8](repeating: 9, count: 32)))
        let (meant, other) = (try room("Living Room", id: 1, pin: 9), try room("Living Room", id: 2, pin: 8))
        let known = try knows(1, pin: 9)
        #expect(isSettled([other, meant], pin: pin) && isSettled([other, meant], known: known))
        // Another's fingerprint, or identity, is not what is known; and of a stranger nobody knows whether it is the one.
        #expect(!isSettled([other], pin: pin) && !isSettled([other], known: known))
        for unlike in [try knows(1, pin: 8), try knows(2, pin: 9)] { #expect(!isSettled([meant], known: unlike)) }
        #expect(!isSettled([meant, other]) && !isSettled([], pin: pin))
        let unreachable = try room("Living Room", id: 1, pin: 9, endpoints: 0)
        #expect(!isSettled([unreachable], pin: pin))
        // The fingerprint that is asked for counts, not what is remembered.
        let familiar = try knows(2, pin: 8)
        #expect(!isSettled([other], pin: pin, known: familiar))
    }

    @Test("Of two namesakes of which one is only a record that nobody answers for, the other is meant")
    func silentNamesake() throws {
        let (living, dead) = (try room("Living Room", id: 1), try room("Living Room", id: 2, .silent))
        #expect(try choose([dead, living]) == living)
        // A known room is meant even when it is silent and another one answers in its name.
        let known = try room("Living Room", id: 3, pin: 3, .silent)
        #expect(try choose([known, living], known: try knows(3, pin: 3)) == known)
    }

    @Test("The only room of the name is the one, with all its addresses in order")
    func one() throws {
        let room = try room("Living Room", id: 1, endpoints: 2)
        #expect(try choose([room]) == room)
        #expect(room.ways.map(\.description) == ["10.0.0.1:7777", "10.0.0.2:7777"])
    }

    @Test("An unknown name lists what is there instead")
    func unknown() {
        let error = error { () throws(JoinError) in try choose([], nearby: ["Kitchen", "Attic"]) }
        #expect(error?.code == .notFound)
        #expect(error?.candidates == ["Kitchen", "Attic"])
        #expect(error?.message.contains("“Kitchen”, “Attic”") == true)
    }

    @Test("Where nothing can be searched, the reason is told, and the way without")
    func noDaemon() {
        let error = error { () throws(JoinError) in try choose([], .unavailable(reason: "no daemon")) }
        #expect(error?.code == .cannotSearch)
        #expect(error?.message.contains("no daemon") == true && error?.message.contains("--at") == true)
    }

    @Test("Two strangers of one name are told apart by address and fingerprint, not guessed between")
    func ambiguous() throws {
        let rooms = [try room("Living Room", id: 1, pin: 1), try room("Living Room", id: 2, pin: 2)]
        let error = error { () throws(JoinError) in try choose(rooms) }
        #expect(error?.code == .ambiguous)
        #expect(error?.candidates.count == 2)
        #expect(error?.candidates.first?.contains(String(repeating: "01", count: 32)) == true)
    }

    @Test("Among namesakes the room with the given fingerprint is meant, else the one that is known")
    func narrowing() throws {
        let rooms = [try room("Living Room", id: 1, pin: 1), try room("Living Room", id: 2, pin: 2)]
        let pin = try #require(Pin(bytes: [UInt8](repeating: 2, count: 32)))
        #expect(try choose(rooms, pin: pin) == rooms[1])
        #expect(try choose(rooms, known: knows(1, pin: 1)) == rooms[0])
    }

    @Test("A forger who claims a known room's id under another key is not taken for it")
    func forgery() throws {
        let rooms = [try room("Living Room", id: 1, pin: 9), try room("Living Room", id: 1, pin: 1)]
        #expect(try choose(rooms, known: knows(1, pin: 1)) == rooms[1])
    }

    @Test("Where discovery is off no name is waited for: whoever asks for one hears why at once")
    func off() async {
        var options = ControllerOptions(name: "Blue")
        options.discovery = .none
        let (quiet, began) = (options, ContinuousClock.now)
        let error = await #expect(throws: JoinError.self) {
            try await withController(quiet, joining: .named("Hall")) { _ in }
        }
        #expect(error?.code == .cannotSearch && error?.message.contains("discovery is off") == true)
        // A search takes 5 s.
        #expect(ContinuousClock.now - began < .seconds(4))
    }
}
