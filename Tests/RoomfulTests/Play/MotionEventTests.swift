import Foundation
import InputMerge
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Datagrams
@testable import MotionFiles
@testable import OperatorFront
@testable import RoomRecords
@testable import Roomful

@Suite("A player's motion as events, over real sockets", .serialized, .timeLimit(.minutes(3)))
struct MotionEventTests {
    /// Turned by so many degrees about y.
    private func lean(_ controller: Controller, degrees: Double) -> Phone {
        let attitude = Quaternion(rotationVector: SIMD3(0, degrees * .pi / 180, 0))
        return Phone(controller: controller, attitude: attitude)
    }

    @Test("Two phones of one player lean by 20° and 40°: it leans by 30°, at most 60 times a second, and then is stale")
    func blended() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        var options = try house.options()
        options.mode = .collaborative
        options.merge.fusion = try FusionRule("any,mean,wait")
        try await withRoom(options) { room in
            try await withController(house.phone("Blue"), joining: room.local) { blue in
                try await withController(house.phone("Red"), joining: room.local) { red in
                    let moving = [(blue, 20.0), (red, 40)].map { controller, degrees in
                        Task { try await lean(controller, degrees: degrees).move(for: 60) }
                    }
                    defer { for task in moving { task.cancel() } }
                    _ = try await room.peers { $0.filter { $0.samples.delivered > 20 }.count == 2 }
                    let client = try await OperatorClient(room: nil, state: house.state("host"))
                    var motions: [EventRecord.Motion] = []
                    let begin = ContinuousClock.now
                    try await client.follow(after: nil, motion: true) { event, _ in
                        if case .motion(let motion) = event { motions.append(motion) }
                        return ContinuousClock.now - begin < .seconds(1) || motions.count < 20
                    }
                    let most = 1 + 60 * ((ContinuousClock.now - begin) / .seconds(1))
                    #expect((20...Int(most)).contains(motions.count), "\(motions.count)")
                    let last = try #require(motions.last)
                    #expect(last.player == 1 && abs(last.tilt[0] - .pi / 6) < 0.01 && abs(last.gravity[0] - 0.5) < 0.01)
                    #expect(motions.contains { !$0.stale })
                    for task in moving { task.cancel() }
                    try await until("a motion that is stale") { await room.player(1).motion()?.isStale == true }
                    #expect(await room.player(2).motion() == nil)
                }
            }
        }
    }
}
