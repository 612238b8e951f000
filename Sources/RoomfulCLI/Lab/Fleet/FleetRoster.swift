import Connections
import ControllerSession
import Foundation
import Histogram
import Roomful
import Synchronization
import WireProtocol

/// The controllers of a fleet: joins them, holds them, and lets them leave.
final class FleetRoster: Sendable {
    /// One that has left, with all that it knows.
    struct Member: Sendable {
        var place: Int
        var name: String
        /// 32 hexadecimal digits.
        var id: String
        var log: DatagramLog
        var report: ControllerReport
        var losses: Controller.Losses
        /// Returns that it asked for without hearing an answer.
        var unansweredReturns: Int
        /// The host had every sample before it left.
        var isSettled: Bool
    }

    /// How many join at once: more would only wait for each other, and for the host's limit on a handshake.
    private static let width = 16

    private let options: [ControllerOptions]
    private let target: FleetTarget
    private let joining = Watched(0)
    private let joined: Mutex<[Controller?]>
    private let trips = Mutex(
        Histogram<UInt32>(highestTrackableValue: 600_000_000, numberOfSignificantValueDigits: .two))
    private let mayLeave = Watched(false)
    private let count = Watched(0)
    /// Why controllers went silent.
    let silences = FleetSilences()
    private let failure = Mutex<(any Error)?>(nil)

    init(count: Int, rate: Double, target: FleetTarget, via relay: RelayProcess, threads: [LinkThread]) {
        self.target = target
        joined = Mutex(Array(repeating: nil, count: count))
        options = (0..<count).map { place in
            var options = ControllerOptions(
                name: "Fleet " + String(repeating: "0", count: 4 - min(4, "\(place + 1)".count)) + "\(place + 1)",
                streams: [StreamDeclaration(nominalRate: rate)], logsDatagrams: true)
            options.linkVia = relay.address
            options.discovery = .none
            options.linkThread = threads[place % threads.count]
            return options
        }
    }

    /// Controllers that have a seat.
    var joinedCount: Int { count.value }

    /// The time that each joining took, in microseconds.
    var joiningTimes: Histogram<UInt32> { trips.withLock { $0 } }

    /// The controllers, when all are in; throws what kept one out.
    func everyone() async throws -> [Controller] {
        let total = options.count
        _ = await count.first { $0 < 0 || $0 == total }
        if let error = failure.withLock({ $0 }) { throw error }
        return joined.withLock { $0.compactMap(\.self) }
    }

    /// All settle what they have sent, and leave.
    func dismiss() { mayLeave.change { $0 = true } }

    /// What the controllers that are here know of their links.
    func reports() async -> [ControllerReport] {
        await withTaskGroup(of: ControllerReport.self) { group in
            for controller in joined.withLock({ $0.compactMap(\.self) }) { group.addTask { await controller.report() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Joins all, and returns when all have left after ``dismiss()``.
    func run() async -> [Member] {
        await withTaskGroup(of: Member?.self) { group in
            for place in options.indices {
                _ = await joining.first { $0 < Self.width }
                guard failure.withLock({ $0 == nil }) else { break }
                joining.change { $0 += 1 }
                group.addTask { await self.stay(place) }
            }
            var members: [Member] = []
            for await case let member? in group { members.append(member) }
            return members.sorted { $0.place < $1.place }
        }
    }

    private func stay(_ place: Int) async -> Member? {
        let began = ContinuousClock.now
        let isJoining = Watched(true)
        func arrive() {
            if isJoining.change({ isJoining in
                defer { isJoining = false }; return isJoining
            }) {
                joining.change { $0 -= 1 }
            }
        }
        do {
            let (controller, isSettled) = try await withController(options[place], joining: .ticket(target.ticket)) {
                controller in
                arrive()
                let time = (ContinuousClock.now - began).wholeNanoseconds / 1_000
                _ = trips.withLock { $0.record(UInt64(min(600_000_000, max(0, time)))) }
                joined.withLock { $0[place] = controller }
                count.change { if $0 >= 0 { $0 += 1 } }
                async let _: Void = silences.follow(controller)
                _ = await mayLeave.first { $0 }
                let isSettled = await controller.settle(within: .seconds(10))
                return (controller, isSettled)
            }
            return Member(
                place: place, name: controller.name, id: controller.id, log: await controller.datagramLog(),
                report: await controller.report(), losses: await controller.losses(),
                unansweredReturns: controller.unansweredReturns, isSettled: isSettled)
        } catch {
            arrive()
            failure.withLock { failure in if failure == nil { failure = error } }
            count.change { $0 = -1 }
            dismiss()
            return nil
        }
    }
}
