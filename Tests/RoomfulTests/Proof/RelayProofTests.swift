import ControllerSession
import Foundation
import Testing
import WireProtocol

@testable import Roomful

@Suite("A full room behind a bad network, counted by three witnesses", .timeLimit(.minutes(4)))
struct RelayProofTests {
    /// 30 s unless `ROOMFUL_PROOF_SECONDS` says otherwise.
    static let seconds = ProcessInfo.processInfo.environment["ROOMFUL_PROOF_SECONDS"].flatMap(Int.init) ?? 30
    static let rate = 100
    static let controllers = 21

    /// What one controller knows of its own stay.
    struct Sender {
        var name: String
        var log: [LoggedDatagram]
        var report: ControllerReport
        var losses: Controller.Losses
    }

    @Test("21 controllers lose 5 % and more of their datagrams, no sample, and every book equals relay and sender")
    func everyBookIsRight() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options(seats: Self.controllers)) { room in
            // Held back longer than a datagram's interval, and shorter than that of goodbyes.
            let relay = try RelayProcess(
                to: room.port, network: "loss=5%,dup=1%,reorder=1%:15ms", seed: 7, in: house.folder)
            let senders = try await play(in: room, at: house, through: relay)
            #expect(try await room.peers { $0.isEmpty }.isEmpty)
            let fates = try await relay.stop()
            let departed = await room.departed()
            #expect(departed.count == Self.controllers)
            try agree(senders, fates)

            var afterwards = 0
            for sender in senders {
                let status = try #require(departed.first { $0.name == sender.name })
                let possible = proofs(of: sender, fates)
                let proof = try #require(possible.first { $0.differences(status).isEmpty } ?? possible.first)
                #expect(proof.differences(status) == [])
                #expect(status.samples.delivered + status.samples.late == Self.seconds * Self.rate)
                #expect(status.samples.missing.orNone + status.samples.abandoned == 0)
                afterwards += proof.afterwards
                try findsEveryWrongCounter(proof, status)
            }
            let strangers = try await self.strangers(of: room, whenUnknownIs: afterwards)
            #expect(strangers == RoomStatus.Strangers(badAuth: 0, unknown: afterwards, malformed: 0, kernelDrops: 0))
            print(figures(departed, fates))
        }
    }

    /// All join, stream at once and leave.
    private func play(in room: Room, at house: TestHouse, through relay: RelayProcess) async throws -> [Sender] {
        let (ticket, via) = (try room.local, relay.address)
        return try await withThrowingTaskGroup(of: Sender.self) { group in
            for number in 1...Self.controllers {
                var options = try house.controller("Pad \(number)", logging: true)
                options.linkVia = via
                let joining = options
                group.addTask {
                    let controller = try await withController(joining, joining: ticket) { controller in
                        var jumper = Jumper()
                        for _ in 0..<Self.seconds * Self.rate {
                            let sample = jumper.next()
                            try await Task.sleep(for: max(.zero, sample.sampledAt - Controller.deviceTimeNow()))
                            controller.send(sample)
                        }
                        #expect(await controller.settle(within: .seconds(10)))
                        return controller
                    }
                    return Sender(
                        name: joining.name, log: await controller.datagramLog(), report: await controller.report(),
                        losses: await controller.losses())
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Relay and senders must agree before either can be believed about the host.
    private func agree(_ senders: [Sender], _ fates: RelayProcess.Report) throws {
        #expect(fates.unreadable + fates.turnedAway + fates.unsent == 0)
        #expect(fates.kernelDrops == 0)
        #expect(fates.connections.count == Self.controllers)
        for sender in senders {
            let fate = try #require(fates.connections.first { $0.connection == sender.log.first?.connection })
            #expect(sender.losses == Controller.Losses(eventsDropped: sender.losses.eventsDropped))
            #expect(sender.log.map(\.number) == (0..<UInt32(sender.log.count)).map { $0 })
            #expect(Set(sender.log.map(\.connection)).count == 1)
            #expect(fate.sent == sender.log.map(\.number))
            #expect(fate.sent.count + fate.duplicated == fate.lost.count + fate.delivered.count)
            #expect(Set(fate.sent).subtracting(fate.lost) == Set(fate.delivered))
            #expect(!fate.lost.isEmpty)
        }
    }

    /// What the host's books must say: usually one possibility. When only the last copy of the goodbye came through, the
    /// one on the control channel may have been faster.
    private func proofs(of sender: Sender, _ fates: RelayProcess.Report) -> [PeerProof] {
        guard let fate = fates.connections.first(where: { $0.connection == sender.log.first?.connection }) else {
            return []
        }
        let usual = PeerProof(log: sender.log, delivered: fate.delivered)
        let goodbyes = sender.log.filter(\.isGoodbye).map(\.number)
        guard Set(goodbyes.dropLast()).isDisjoint(with: fate.delivered) else { return [usual] }
        let other = PeerProof(log: sender.log, delivered: fate.delivered, closesBeforeGoodbye: true)
        return Set(goodbyes).isDisjoint(with: fate.delivered) ? [other] : [usual, other]
    }

    private func findsEveryWrongCounter(_ proof: PeerProof, _ status: PeerStatus) throws {
        for counter in PeerProof.counters {
            for part in counter.parts {
                for step in [-1, 1] {
                    var wrong = status
                    wrong[keyPath: part] += step
                    #expect(proof.differences(wrong).count == 1, "\(counter.name)")
                }
            }
        }
    }

    /// The last datagrams may still be on their way to the loop.
    private func strangers(of room: Room, whenUnknownIs count: Int) async throws -> RoomStatus.Strangers {
        let deadline = ContinuousClock.now + .seconds(5)
        while true {
            let strangers = await room.status().strangers
            if strangers.unknown >= count || ContinuousClock.now >= deadline { return strangers }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private func figures(_ peers: [PeerStatus], _ fates: RelayProcess.Report) -> String {
        func sum(_ path: KeyPath<PeerStatus, Int>) -> Int { peers.reduce(0) { $0 + $1[keyPath: path] } }
        let sent = fates.connections.reduce(0) { $0 + $1.sent.count }
        let lost = fates.connections.reduce(0) { $0 + $1.lost.count }
        return """
            \(peers.count) controllers, \(Self.rate) Hz, \(Self.seconds) s: \(sent) datagrams sent, \(lost) lost; at the \
            host \(sum(\.datagrams.unique)) unique, \(sum(\.datagrams.duplicate)) duplicate, \
            \(sum(\.datagrams.reordered)) reordered, \(sum(\.datagrams.missing.orNone)) missing, \
            \(sum(\.datagrams.tailMissing.orNone)) at the end; samples: \(sum(\.samples.delivered)) delivered, \
            \(sum(\.samples.late)) late, \(sum(\.samples.missing.orNone)) missing, \(sum(\.samples.redundant)) redundant
            """
    }
}
