import InputMerge

@testable import MotionFiles
@testable import RoomRecords
@testable import RoomServer
@testable import Roomful

/// Events to test with: at least one of each type, and the corners of each.
enum EventExamples {
    private static let player = EventRecord.Player(
        at: 0.001, player: 1, state: .joined, name: "Ä \"quoted\" 🦦", color: "#00ff7f", controllers: [identifier])
    static let gestureOfUnknownTime = EventRecord.gesture(
        .init(
            n: 3, at: -12.5, uncertainty: nil, player: 2, gesture: "keepcalm-jump", phase: .ended, id: "g1",
            strength: 1, confidence: 0, controllers: [identifier, "c2"]))
    static let linkOverReliableTransport = EventRecord.link(
        .init(
            n: 9, at: 1e7, player: 1, controller: identifier, state: .poor, transport: "post", delay: nil,
            samplesMissing: 3, datagramsMissing: nil))
    static let hapticPlayed = EventRecord.haptic(
        .init(
            n: 11, at: 8, player: 1, id: "h1", outcome: .played, playedAt: 7.25, controller: identifier,
            latency: .init(
                gesture: "g1-4", sensor: span(10, 5), network: span(-0.1, 0.4), fusion: span(0, 0),
                command: span(0.1, 0), played: span(2, 0.4), total: span(12, 5.8))))
    static let hapticOfUnknownWay = EventRecord.haptic(
        .init(n: 20, at: 8, player: 1, id: "h4", outcome: .played, playedAt: 7.25, latency: .init()))
    private static func span(_ ms: Double, _ uncertainty: Double) -> EventRecord.Haptic.Span {
        .init(ms: ms, uncertainty: uncertainty)
    }
    static let hapticRefused = EventRecord.haptic(
        .init(n: 12, at: 8, player: 1, id: "h2", outcome: .refused, reason: "unsupported"))

    static let all: [EventRecord] = [
        .hello(.init(after: 0, at: 0, room: "Door 1.2", openedAt: "2026-11-21T09:00:00Z", seats: 10_000, players: [])),
        .hello(
            .init(
                after: 41, at: 12.5, room: "Living Room", openedAt: "2026-11-21T09:00:00Z", seats: 1,
                players: [player], queue: [.init(controller: identifier, name: "דנה", place: 1)])),
        gestureOfUnknownTime,
        .gesture(
            .init(
                n: 4, at: 5_120.4, uncertainty: 0, player: 1, gesture: "tilt", phase: .changed, id: "g2", strength: 0,
                confidence: 1, controllers: [identifier])),
        .motion(
            .init(
                at: 16.667, player: 3, attitude: [0.5, -0.5, 0.5, 0.5], gravity: [0, -1, 0],
                userAcceleration: [0, 16, -16], lowPassedAcceleration: [0, 1.5, -1], lowPassFactor: 0.1,
                rotationRate: [34.9, 0, 0], tilt: [-3.14, 1.57], stale: true)),
        .team(
            .init(
                n: 19, at: 3, uncertainty: nil, team: "red", gesture: "jump", phase: .began, id: "t1-4", strength: 0.5,
                confidence: 0.9, players: [1, 2])),
        .verdict(
            .init(
                n: 5, at: 1, id: "v1-shake", gesture: "shake", order: [[2, 3], [1]], winners: [], ties: "replay",
                replay: true, unranked: [4], missed: [5], decidedBy: "cap",
                evidence: [
                    .init(
                        player: 2, reason: "placed", rank: 1, at: -1, uncertainty: 6, gesture: "g2-1", watermark: 80),
                    .init(player: 5, reason: "missed"),
                ])),
        .verdict(
            .init(
                n: 6, at: 1, id: "v2-shake", gesture: "shake", order: [], winners: [], ties: "share", replay: false,
                unranked: [1], missed: [], decidedBy: "watermark", evidence: [])),
        linkOverReliableTransport,
        .link(
            .init(
                n: 10, at: 1, player: 1, controller: identifier, state: .good, transport: "udp", delay: -0.25,
                samplesMissing: 0, datagramsMissing: 7)),
        hapticPlayed, hapticOfUnknownWay, hapticRefused,
        .haptic(.init(n: 13, at: 8, player: 1, id: "h3", outcome: .lost, reason: "no receipt came")),
        .room(.init(n: 14, at: 9_000, state: .unlocked)),
        .room(.init(n: 15, at: 9_001, state: .closing)),
        .gesture(
            .init(
                n: 17, at: 1, uncertainty: 2, player: 1, gesture: "jump", phase: .ended, id: "g1-3", strength: 0.5,
                confidence: 1, controllers: [identifier],
                measures: GestureMeasures(height: 0.2, flightTime: 0.4, impact: 3, hit: true, count: 2))),
        .teaching(.init(n: 18, at: 2, player: 1, gesture: "circle", state: .unlike, shown: 1, times: 3)),
        .shaping(
            .init(
                n: 24, at: 2, player: 1, controller: identifier, phase: .began, progress: 0.35,
                candidates: [.init(gesture: "circle", likelihood: 0.71), .init(gesture: "square", likelihood: 0.1)])),
        .shaping(
            .init(n: 25, at: 3, player: 1, controller: identifier, phase: .ended, progress: 0, candidates: [])),
        .sensor(
            .init(
                n: 19, at: 3, player: 1, controller: identifier, stream: 1, location: "right", state: .tookOver, from: 0
            )),
        .sensor(
            .init(
                n: 20, at: 3, player: 1, controller: identifier, stream: 0, location: "default", state: .problem,
                problem: "accelerationInG", explanation: "it sends g as m/s²; multiply by 9.80665")),
        .omitted(.init(n: 21, at: 4, player: 1, controller: identifier, count: 412)),
        .battery(.init(n: 24, at: 5, player: 1, controller: identifier, percent: 20, charging: false)),
        .local(.init(n: 26, at: 7, player: 1, controller: identifier, gesture: "tap", id: "g3", felt: 12)),
        .local(.init(n: 27, at: 7, player: 1, controller: identifier, gesture: "tap")),
        .battery(.init(n: 25, at: 6, player: 0, controller: identifier, percent: 10)),
        .submersion(
            .init(
                n: 28, at: 8, uncertainty: 3, player: 1, controller: identifier, stream: 1, state: "submergedDeep",
                from: "submergedShallow", depth: 1.5, depthUncertainty: 0.12, pressure: 116.2, surfacePressure: 101.3,
                temperature: 18.25, temperatureUncertainty: 0.5)),
        .submersion(
            .init(
                n: 29, at: 9, player: 0, controller: identifier, stream: 0, state: "unknown", from: "sensorDepthError")),
        .queue(.init(n: 22, at: 9_003, state: .queued, controller: identifier, name: "دنيا", place: 256)),
        .queue(.init(n: 23, at: 9_004, state: .called, controller: identifier, name: "", place: 1)),
        .asking(.init(n: 16, at: 9_002, controller: identifier, name: "")),
        .player(player(.joined)), .player(player(.lost)), .player(player(.back)), .player(player(.left)),
    ]

    private static func player(_ state: EventRecord.Player.State) -> EventRecord.Player {
        var player = player
        player.n = 2
        player.state = state
        return player
    }

    private static let identifier = "0123456789abcdef0123456789abcdef"
}
