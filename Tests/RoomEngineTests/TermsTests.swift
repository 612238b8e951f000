import InputMerge
import LinkEmulation
import RoomEngine
import SessionCoordinator
import Testing
import WireProtocol

@testable import RoomSimulation

@Suite("Other terms while people play")
struct TermsTests {
    private let start = HostTime(nanoseconds: 3_600_000_000_000)

    /// A room whose code is 2222-2222, where it asks for one.
    private func room(seats: Int, _ policy: RoomConfiguration.Policy = .open) -> SimulatedHost {
        let room = RoomConfiguration(seats: seats, policy: policy, code: "2222-2222", linkPort: 7_777)
        return SimulatedHost(EngineConfiguration(room: room, merge: MergeConfiguration()), now: start)
    }

    private func join(_ number: UInt64, _ host: inout SimulatedHost, code: String? = nil, waits: Bool? = nil) {
        let id = ControllerID(high: 0xC0FF_EE00_0000_0000 + number << 32, low: number)
        let invitation = Invitation(
            controller: id.description, process: "0000000000000001", name: "Pad \(number)",
            streams: [StreamOffer(StreamDeclaration())], haptics: true, timeout: nil, code: code, wait: waits)
        func key(_ kind: UInt64) -> LinkKey { LinkKey(a: number, b: kind, c: 0, d: 0) }
        let material = LinkMaterial(
            motionKey: key(1), feedbackKey: key(2), probeKey: key(3), secret: "\(number)", secretHash: [],
            presentedHash: nil)
        host.handle(
            .invite(invitation, from: ConversationID(rawValue: number), over: .udp, material, source: nil), at: start)
        host.turn(start)
    }

    /// Changes the terms as they are, and says what is valid then.
    private func change(
        _ host: inout SimulatedHost, at now: HostTime, _ change: (inout RoomTerms) -> Void
    ) throws -> RoomTerms {
        var terms = RoomTerms(host.engine.configuration)
        change(&terms)
        let request = RequestID(rawValue: UInt64(host.turns) + 1_000)
        host.handle(.command(.change(terms), request), at: now)
        host.turn(now)
        guard case .terms(let valid) = try #require(host.answers[request]).get() else {
            throw RoomError(.closed, "it was not said which terms are valid")
        }
        return valid
    }

    private func seated(_ host: SimulatedHost) -> [UInt64] {
        host.said.compactMap { if case .seated = $0.message { $0.conversation.rawValue } else { nil } }
    }

    @Test("Another seat is for whoever waits for one, at once; fewer take nobody's seat")
    func seats() throws {
        var host = room(seats: 1)
        join(1, &host)
        join(2, &host, waits: true)
        #expect(seated(host) == [1])
        #expect(try change(&host, at: start) { $0.seats = 3 }.seats == 3)
        #expect(seated(host) == [1, 2] && host.engine.coordinator.freeSeats == 1)
        // Seat 2 is taken: it and the one below it stay.
        #expect(try change(&host, at: start) { $0.seats = 1 }.seats == 2)
        #expect(host.engine.coordinator.freeSeats == 0)
        join(3, &host)
        #expect(seated(host) == [1, 2])
        #expect(host.engine.coordinator.reports(now: start).map(\.seat) == [1, 2])
    }

    @Test("Another policy is for those who come: who sits stays, and a code is asked for from the next one on")
    func policy() throws {
        var host = room(seats: 4)
        join(1, &host)
        #expect(try change(&host, at: start) { $0.policy = .code }.policy == .code)
        join(2, &host)
        join(3, &host, code: "2222-2222")
        #expect(seated(host) == [1, 3])
        let refusals = host.said.compactMap {
            if case .refused(let refusal) = $0.message { refusal.reason } else { nil }
        }
        #expect(refusals == [.wrongCode])
        _ = try change(&host, at: start) { $0.policy = .ask }
        join(4, &host, code: "2222-2222")
        #expect(seated(host) == [1, 3] && host.engine.coordinator.newcomers.count == 1)
    }

    @Test("A silent controller loses its seat after the new time, and is released after the new grace")
    func times() throws {
        var host = room(seats: 4)
        join(1, &host)
        _ = try change(&host, at: start) {
            $0.idleTimeout = .seconds(2)
            $0.graceTimeout = .seconds(3)
        }
        var told: [(state: Occurrence.PlayerChange.State, after: Duration)] = []
        // Nothing wakes the room but its own deadlines.
        while let next = host.engine.nextDeadline, next - start < .seconds(20) {
            host.turn(max(next, start))
            for case .player(let player) in host.events { told.append((player.state, player.at - start)) }
            host.events = []
        }
        #expect(told.map(\.state) == [.joined, .lost, .left])
        #expect(told.dropFirst().map(\.after) == [.seconds(2), .seconds(5)])
    }

    @Test("What no room can have changes nothing, nor do other gestures")
    func outOfRange() throws {
        var host = room(seats: 4)
        let before = host.engine.configuration
        let wrong: [(inout RoomTerms) -> Void] = [
            { $0.seats = 0 }, { $0.seats = 10_001 }, { $0.seats = .min }, { $0.idleTimeout = .milliseconds(999) },
            { $0.idleTimeout = .seconds(Int64.max) }, { $0.graceTimeout = .seconds(-1) },
            { $0.contests.cap = .zero }, { $0.contests.gestures = [.jump, .jump] }, { $0.gestures = [] },
            { $0.gestures.reverse() }, { $0.contests.gestures = [.keepCalmJump] },
        ]
        for one in wrong {
            #expect(throws: RoomError.self) {
                try change(&host, at: start) {
                    $0.policy = .ask
                    one(&$0)
                }
            }
            #expect(host.engine.configuration == before && host.engine.coordinator.configuration == before.room)
        }
    }
}

/// What moves: two phones that push, over links of known length.
@Suite("Other rules while people play")
struct RulesTests {
    private func stage(_ contests: ContestRules) throws -> Stage {
        var stage = try Stage(
            MergeConfiguration(gestures: GestureDefinition.all, contests: contests), rates: [100, 100],
            networks: ["delay=2500us", "delay=2500us"])
        stage.run(for: .seconds(3))
        return stage
    }

    private func change(_ stage: inout Stage, _ change: (inout RoomTerms) -> Void) {
        var terms = RoomTerms(stage.host.engine.configuration)
        change(&terms)
        stage.host.handle(.command(.change(terms), RequestID(rawValue: UInt64(stage.host.turns))), at: stage.now)
        stage.host.turn(stage.now)
    }

    /// Gestures of this kind that begin within the next second, in which the first phone is pushed.
    private func pushes(_ stage: inout Stage, _ kind: GestureKind) -> Int {
        let before = stage.events.count
        stage.run(for: .seconds(1), pushes: [[300], []])
        return stage.events[before...].count {
            if case .gesture(let gesture, _) = $0 { gesture.gesture == kind && gesture.phase == .began } else { false }
        }
    }

    @Test("A push that was a jump is none by a higher threshold, and is one again by the old one")
    func thresholds() throws {
        var stage = try stage(ContestRules())
        let place = try #require(
            RoomTerms(stage.host.engine.configuration).gestures.firstIndex { $0.kind == .keepCalmJump })
        let usual = RoomTerms(stage.host.engine.configuration).gestures[place]
        #expect(pushes(&stage, .keepCalmJump) == 1)
        var problems: [String?] = []
        change(&stage) {
            problems = [$0.gestures[place].set("fullStrength", to: 100), $0.gestures[place].set("enter", to: 15)]
        }
        #expect(problems == [nil, nil] && pushes(&stage, .keepCalmJump) == 0)
        change(&stage) { $0.gestures[place] = usual }
        #expect(pushes(&stage, .keepCalmJump) == 1)
    }

    @Test("Verdicts count on when a contest is taken back and wanted again; one that has begun is judged all the same")
    func contests() throws {
        let rules = ContestRules(gestures: [.keepCalmJump], cap: .milliseconds(600), pause: .milliseconds(200))
        var stage = try stage(rules)
        stage.run(for: .seconds(1), pushes: [[300], [340]])
        #expect(stage.verdicts.map(\.id.description) == ["v1-keepcalm-jump"])
        // The second phone's samples take long: the contest waits for them while its rules change.
        stage.controllers[1].conditions = try NetworkConditions(parsing: "delay=300ms")
        stage.run(for: .seconds(1))
        stage.run(for: .milliseconds(400), pushes: [[300], []])
        change(&stage) { $0.contests.gestures = [] }
        #expect(stage.verdicts.count == 1)
        stage.run(for: .seconds(1), pushes: [[500], []])
        #expect(stage.verdicts.map(\.id.description) == ["v1-keepcalm-jump", "v2-keepcalm-jump"])
        change(&stage) { $0.contests.gestures = [.keepCalmJump] }
        stage.run(for: .seconds(2), pushes: [[300], []])
        #expect(stage.verdicts.map(\.id.description).last == "v3-keepcalm-jump" && stage.verdicts.count == 3)
    }
}
