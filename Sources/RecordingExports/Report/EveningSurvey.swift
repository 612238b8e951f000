import EveningFiles
import FlightRecorder
import Foundation
import InputMerge
import RoomEngine
import RoomRecords
import SessionCoordinator
import WireProtocol

/// What a report shows of an evening, gathered in one replay: by the second where there is much.
struct EveningSurvey {
    struct Controller {
        var player: Int
        var name: String
        var transport: String
        /// By fifths of seconds since the room opened: least and greatest user acceleration in g.
        var motion: [Int: ClosedRange<Double>] = [:]
        var links: [Link] = []
        /// What the ledgers of its stays came to that are over: each stay's begins at 0.
        var past = (datagrams: 0.0, missing: 0.0, late: 0.0)
        /// Whether its last stay is over.
        var hasLeft = false
        var samples: Int = 0
        /// From the device to the host, of its last stay, as the room's own histogram has it in the end.
        var oneWay: DelaySummary?
        /// How far the least sure of these may be wrong, in nanoseconds.
        var oneWayUncertainty: Int64?

        /// How its link stands now; where it leaves, how that stood in the end.
        mutating func take(_ link: Link, leaves: Bool) {
            if let before = links.last, hasLeft || before.unique > link.unique {
                past.datagrams += before.unique
                past.missing += before.missing ?? 0
                past.late += before.late
            }
            links.append(link)
            hasLeft = leaves
        }
    }

    /// A controller's link at one moment.
    struct Link {
        var at: Double
        var unique: Double
        var missing: Double?
        var late: Double
        var queueing: Double
        var offset: Double?
        var uncertainty: Double?
        var seat: String
    }

    private(set) var controllers: [ControllerID: Controller] = [:]
    private(set) var order: [ControllerID] = []
    private(set) var gestures: [EventRecord.Gesture] = []
    private(set) var verdicts: [EventRecord.Verdict] = []
    private(set) var haptics: [EventRecord.Haptic] = []
    private(set) var marks: [(text: String, at: Double)] = []
    private(set) var problems: [String] = []
    private(set) var events = 0
    /// The end of the tape, in s since the room opened.
    private(set) var seconds = 0.0
    /// From its beginning to its end, in s.
    private(set) var lasted = 0.0
    let opening: Opening
    let about: [(String, String)]

    init(_ path: String) throws {
        var player = try EveningPlayer(path, tellsMotion: true)
        opening = player.evening.opening
        about = player.evening.about
        try player.play(lookingEachSecond: { look(&$0) }, { take($0) })
        seconds = player.moment(player.now) / 1e3
        lasted = opening.isFromTheStart ? seconds : (player.now - opening.now) / .seconds(1)
        for state in player.peers {
            controllers[state.report.controller]?.oneWay = state.oneWay
            controllers[state.report.controller]?.oneWayUncertainty = state.oneWayUncertainty
        }
        problems = player.problems
    }

    private mutating func look(_ player: inout EveningPlayer) {
        let at = player.moment(player.now) / 1e3
        let (left, here) = player.takeReports()
        for (report, leaves) in left.map({ ($0, true) }) + here.map({ ($0, false) }) {
            note(report)
            let clock = report.clock
            controllers[report.controller]?.take(
                Link(
                    at: at, unique: Double(report.datagrams.unique),
                    missing: report.transport.countsLosses ? Double(report.datagrams.missing) : nil,
                    late: Double(report.samples.late), queueing: Double(report.queueing) / 1e6,
                    offset: clock.map { $0.offset(at: player.now) * 1e3 },
                    uncertainty: clock?.uncertaintyNanoseconds(at: player.now).map { Double($0) / 1e6 },
                    seat: report.seatState.rawValue), leaves: leaves)
        }
    }

    private mutating func note(_ report: PeerReport) {
        if controllers[report.controller] == nil {
            order.append(report.controller)
            controllers[report.controller] = Controller(
                player: report.player, name: report.name, transport: report.transport.rawValue)
        }
        controllers[report.controller]?.player = report.player
        controllers[report.controller]?.name = report.name
    }

    private mutating func take(_ step: EveningPlayer.Step) {
        switch step {
        case .mark(let text, let at): marks.append((text, at / 1e3))
        case .motion(let batch, let report):
            note(report)
            for motion in batch.motions {
                let fifth = (motion.occurredAt - opening.openedAt) / .milliseconds(200)
                guard fifth.isFinite, abs(fifth) < 1e8 else { continue }
                let force = motion.userAcceleration
                let size = (force * force).sum().squareRoot()
                guard size.isFinite else { continue }
                let place = Int(fifth.rounded(.down))
                let known = controllers[report.controller]?.motion[place]
                controllers[report.controller]?.samples += 1
                controllers[report.controller]?.motion[place] =
                    min(known?.lowerBound ?? size, size)...max(known?.upperBound ?? size, size)
            }
        case .event(let event):
            if event.isNumbered { events += 1 }
            switch event {
            case .gesture(let gesture) where gesture.phase == .began: gestures.append(gesture)
            case .verdict(let verdict): verdicts.append(verdict)
            case .haptic(let haptic): haptics.append(haptic)
            default: break
            }
        case .passenger, .passengerVerdict: break
        }
    }
}
