import LinkEmulation
import Testing
import WireProtocol

@testable import SessionCoordinator

/// Whatever dies, and whenever: who comes back has the seat that was theirs, and the leases equal a plain model.
@Suite("The same seat, every time")
struct SameSeatTests {
    /// Who sits where, and what each controller knows of it.
    private struct Model {
        var seats: [UInt64: Int] = [:]
        var secrets: [UInt64: String] = [:]
    }

    private struct Schedule {
        let seed: UInt64
        var random: SeededGenerator
        let configuration: RoomConfiguration
        var room: HostedRoom
        var model = Model()
        var lives: UInt64 = 0
        var returns = 0

        init(seed: UInt64) {
            self.seed = seed
            random = SeededGenerator(seed: seed)
            configuration = RoomConfiguration(seats: 4, policy: .open, graceTimeout: .seconds(86_400))
            room = HostedRoom(configuration)
        }

        private mutating func guest(_ number: UInt64) -> Guest {
            var guest = Guest(number)
            guest.process = 1 + random.next() % 3
            guest.secret = model.secrets[number]
            return guest
        }

        /// Asks for a seat. `isHeard`: the controller lives long enough to hear and keep the answer.
        mutating func join(_ number: UInt64, isHeard: Bool) {
            let guest = guest(number)
            let seated = room.invite(guest)?.seat
            guard let known = model.seats[number] else {
                // A newcomer gets a free seat, and none of those that are kept for others.
                if model.seats.count == 4 { return #expect(seated == nil, "seed \(seed)") }
                #expect(seated.map { !model.seats.values.contains($0.seat) } == true, "seed \(seed)")
                model.seats[number] = seated?.seat
                model.secrets[number] = seated?.secret
                return
            }
            returns += 1
            #expect(seated?.seat == known, "seed \(seed): controller \(number)")
            if isHeard { model.secrets[number] = seated?.secret }
        }

        mutating func hostDies(keeping disk: [Lease]) {
            lives += 1
            let pause = Duration.milliseconds(Int64(random.next() % 600_000))
            room = HostedRoom(configuration, leases: disk, now: room.now + pause, epoch: lives)
        }

        mutating func step() {
            let number = 1 + random.next() % 5
            switch random.next() % 10 {
            case 0...3: join(number, isHeard: true)
            // kill -9 of the controller, before it could write down what it was told.
            case 4: join(number, isHeard: model.seats[number] == nil)
            // kill -9 of the host: what was committed is there.
            case 5, 6: hostDies(keeping: room.disk)
            // The power fails before a commit is on disk: what hangs on it was never said.
            case 7:
                let disk = room.disk
                guard model.seats[number] != nil else { return }
                join(number, isHeard: false)
                hostDies(keeping: disk)
            // The host's own clock leaps, or it sleeps.
            case 8: room.stand(until: room.now + .milliseconds(Int64(random.next() % 1_200_000)))
            // It roams: the newest authentic datagram comes from elsewhere.
            default:
                guard model.seats[number] != nil else { return }
                let conversation = room.newConversation()
                let guest = guest(number)
                guard let seated = room.invite(guest, from: conversation)?.seat, var pad = Pad(seated) else {
                    Issue.record("seed \(seed): controller \(number) has lost its seat")
                    return
                }
                returns += 1
                #expect(seated.seat == model.seats[number], "seed \(seed)")
                model.secrets[number] = seated.secret
                for place in 0..<4 {
                    room.receive(pad.samples(UInt32(place)..<UInt32(place) + 1), from: .lan(UInt8(20 + place)))
                    room.pass(to: room.now + .milliseconds(20))
                }
            }
            let leases = Dictionary(uniqueKeysWithValues: room.disk.map { ($0.controller.low, $0.seat) })
            #expect(leases == model.seats, "seed \(seed)")
        }
    }

    @Test(
        "In a thousand random schedules of deaths, lost answers, power cuts, roaming and leaps, all come back to their seats"
    )
    func thousand() {
        var returns = 0
        for seed in 1...UInt64(Soak.isOn ? 1_000 : 100) {
            var schedule = Schedule(seed: seed)
            for _ in 0..<60 { schedule.step() }
            returns += schedule.returns
        }
        print("same seat: \(returns) returns, each to its own")
        #expect(returns > 1_000)
    }
}
