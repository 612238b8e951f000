import Foundation
import Testing
import WireProtocol

@testable import ControllerClient
@testable import Identity
@testable import RoomRecords
@testable import RoomServer
@testable import Roomful

@Suite("A controller in a room, over real sockets", .serialized, .timeLimit(.minutes(4)))
struct JoiningTests {
    @Test("A room whose task is cancelled has closed when that returns, and has told its players so")
    func cancelledRoom() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let rooms = Heard<Room>()
        let hosting = Task {
            try await withRoom(house.options()) { room in
                rooms.note(room)
                try await Task.sleep(for: .seconds(600))
            }
        }
        try await until("the room") { !rooms.all.isEmpty }
        let room = try #require(rooms.all.first)
        try await withController(house.controller("Blue"), joining: room.local) { controller in
            // Its thread takes its time to hear of it.
            room.loop.post(.command(.alive, { _ in usleep(300_000) }))
            hosting.cancel()
            await #expect(throws: CancellationError.self) { try await hosting.value }
            #expect(!room.isOpen)
            let ending = try await controller.events.first("the end") { event in
                if case .ended(let ending) = event { ending } else { nil }
            }
            #expect(ending.code == .closing)
        }
    }

    @Test("A game that reads events, messages, motions and discovery changes comes to their ends when the room stops")
    func streamsEnd() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let ended = Heard<String>()
        let messages = Heard<[UInt8]>()
        try await withRoom(house.options()) { room in
            let events = await room.events()
            try await withController(house.controller("Blue"), joining: room.local) { controller in
                var jumper = Jumper()
                for _ in 0..<10 {
                    let sample = jumper.next()
                    try await Task.sleep(for: max(.zero, sample.sampledAt - Controller.deviceTimeNow()))
                    controller.send(sample)
                }
                _ = try await room.peers { $0.first?.state == "active" }
                let motions = try await room.player(1).motions(.each)
                Task {
                    for await _ in events {}
                    ended.note("events")
                }
                Task {
                    for await message in room.messages { messages.note(message.bytes) }
                    ended.note("messages")
                }
                Task {
                    for await _ in motions {}
                    ended.note("motions")
                }
                Task {
                    for await _ in room.discoveryChanges {}
                    ended.note("discoveryChanges")
                }
                try controller.send(Array("last words".utf8))
                #expect(await controller.settle(within: patience))
                room.stop()
                // Before the body has returned: a game's would wait for just these.
                try await until("the end of all four") { ended.all.count == 4 }
            }
        }
        #expect(Set(ended.all) == ["events", "messages", "motions", "discoveryChanges"])
        #expect(messages.all == [Array("last words".utf8)])
    }

    @Test(
        "A controller joins, its samples become gestures, its haptics come back as played, and what it sent is what the host has"
    )
    func theWholeWay() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        let machine = Standstill()
        let (haptics, receipts) = (Heard<Haptic>(), Heard<EventRecord.Haptic>())
        let (events, departed, strangers, log) = try await withRoom(house.options()) { room in
            let events = await room.events().records
            let listening = Task { () -> [EventRecord] in
                var all: [EventRecord] = []
                for await event in events {
                    all.append(event)
                    if case .haptic(let receipt) = event { receipts.note(receipt) }
                }
                return all
            }
            let blue = try await withController(
                house.controller("Blue", logging: true), joining: room.local
            ) { controller in
                #expect(controller.seat.seat == 1)
                #expect(controller.seat.name == "Blue")
                let hearing = Task {
                    for await event in controller.events {
                        if case .haptic(let haptic) = event { haptics.note(haptic) }
                    }
                }
                var jumper = Jumper()
                for _ in 0..<300 {
                    let sample = jumper.next()
                    try await Task.sleep(for: max(.zero, sample.sampledAt - Controller.deviceTimeNow()))
                    controller.send(sample)
                }
                #expect(await controller.settle(within: patience))
                let peers = try await room.peers { $0.first?.samples.arrived == 300 }
                #expect(peers.first?.samples.arrived == 300)
                #expect(peers.first?.samples.missing == 0)
                #expect(peers.first?.clock.state != "none")
                try await until("what became of three haptics") { receipts.all.count >= 3 }
                try await until("each haptic that was played") {
                    haptics.all.count == receipts.all.count { $0.outcome == .played }
                }
                hearing.cancel()
                return controller
            }
            _ = try await room.peers { $0.isEmpty }
            let log = await blue.datagramLog()
            // A goodbye that is said again after the seat is free belongs to nobody.
            let deadline = ContinuousClock.now + patience
            var (strangers, booked) = (await room.status().strangers, 0)
            repeat {
                strangers = await room.status().strangers
                booked = await room.departed().reduce(0) { $0 + $1.datagrams.authenticated }
            } while booked + strangers.total + strangers.kernelDrops.orNone < log.count
                && ContinuousClock.now < deadline
            room.stop()
            return (await listening.value, await room.departed(), strangers, log)
        }
        let jumps = events.filter {
            if case .gesture(let g) = $0 { g.gesture == "keepcalm-jump" && g.phase == .began } else { false }
        }
        #expect(jumps.count == 3)
        #expect(receipts.all.count == 3)
        // A haptic that is 500 ms late is none any more.
        #expect(haptics.all.count == 3 || machine.longest > .milliseconds(400))
        let numbers = events.compactMap(\.number)
        #expect(numbers == Array(1...numbers.count))
        #expect(events.first?.type == "hello")
        let last = try #require(departed.first)
        let missing = try #require(last.datagrams.missing)
        let tailMissing = try #require(last.datagrams.tailMissing)
        // The controller's own log, which no word of the host's has touched.
        #expect(last.datagrams.unique + missing + tailMissing + strangers.total == log.count)
        #expect(missing + tailMissing == strangers.kernelDrops)
        #expect(last.samples.expected == 300)
    }

    @Test("The operator's words reach the controller: identify, messages, kick with a reason")
    func operatorCommands() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            try await withController(house.controller("Blue"), joining: room.local) { controller in
                controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                _ = try await room.peers { $0.first?.state == "active" }
                try await room.identify("Blue")
                try await room.send(Array("hello".utf8), to: "P1")
                try controller.send(Array("hi".utf8))
                var messages = room.messages.makeAsyncIterator()
                #expect(await messages.next()?.bytes == Array("hi".utf8))
                let told = Heard<ControllerEvent>()
                for await event in controller.events {
                    told.note(event)
                    if told.all.contains(.identify), told.all.contains(.message(Array("hello".utf8))) {
                        if !told.all.contains(where: { if case .ended = $0 { true } else { false } }) {
                            try await room.kick("Blue", message: "Time is up.")
                        }
                    }
                    if case .ended(let ending) = event {
                        #expect(ending.code == .kicked && ending.description == "Time is up.")
                    }
                }
                let hasEnded = told.all.contains { if case .ended = $0 { true } else { false } }
                #expect(hasEnded, "\(told.all)")
                await #expect(throws: RoomError.self) { try await room.kick("Blue", message: nil) }
            }
        }
    }

    @Test(
        "What a controller's samples say of its battery is shown, called a trouble and told; its program marks in the recording"
    )
    func batteryAndMarks() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        var hosted = try house.options()
        hosted.recording = RecordingOptions(path: house.folder + "/evening.mcap")
        try await withRoom(hosted) { room in
            var options = try house.controller("Blue")
            options.streams = [StreamDeclaration(measures: [.acceleration, .battery])]
            try await withController(options, joining: room.local) { controller in
                func sample(_ percent: UInt8) {
                    controller.send(
                        Sample(
                            sampledAt: Controller.deviceTimeNow(), measures: [.acceleration, .battery],
                            acceleration: SIMD3(0, 0, 9.8), battery: percent))
                }
                sample(80)
                let well = try await room.peers { $0.first?.sensor?.battery == 80 }
                #expect(
                    well.first?.sensor?.battery == 80
                        && well.first?.troubles.contains { $0.contains("battery") } == false)
                sample(9)
                let low = try await room.peers { $0.first?.sensor?.battery == 9 }
                #expect(low.first?.troubles.contains { $0.contains("battery is at 9 %") } == true)
                for await event in await room.events(after: 0) {
                    guard case .battery(let notice) = event else { continue }
                    #expect(notice.percent == 9 && notice.isCharging == nil && notice.player == 1)
                    break
                }
                try controller.mark("lap 1")
                #expect(throws: (any Error).self) { try controller.mark(String(repeating: "x", count: 201)) }
                let deadline = ContinuousClock.now + patience
                while room.recordingStatus.marks != 1, ContinuousClock.now < deadline {
                    try await Task.sleep(for: .milliseconds(20))
                }
                #expect(room.recordingStatus.marks == 1)
            }
        }
    }

    @Test("A controller that claims to have played at the end of all time stops nobody", arguments: [Int64.min, .max])
    func absurdReceipt(_ nanoseconds: Int64) async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options()) { room in
            var options = try house.controller("Blue")
            options.haptics = .answered
            try await withController(options, joining: room.local) { controller in
                controller.send(Sample(sampledAt: Controller.deviceTimeNow()))
                _ = try await room.peers { $0.first?.clock.state == "locked" }
                let events = await room.events().records
                try await room.play(on: "Blue")
                let haptic = try await controller.events.first("a haptic") { event in
                    if case .haptic(let haptic) = event { haptic } else { nil }
                }
                controller.played(haptic, at: DeviceTime(nanoseconds: nanoseconds))
                try await events.first("its receipt") { event in
                    if case .haptic(let haptic) = event, haptic.outcome == .played { () } else { nil }
                }
                #expect(try await room.peers().count == 1)
            }
        }
    }

    @Test("A full room, a locked room and a wrong code each say so")
    func refusals() async throws {
        let house = try TestHouse()
        defer { house.remove() }
        try await withRoom(house.options(seats: 1)) { room in
            try await withController(house.controller("Blue"), joining: room.local) { _ in
                await #expect {
                    try await withController(house.controller("Red"), joining: room.local) { _ in }
                } throws: {
                    ($0 as? JoinError)?.refusal?.reason == .full
                }
                await room.lock()
                await #expect {
                    try await withController(house.controller("Red"), joining: room.local) { _ in }
                } throws: {
                    ($0 as? JoinError)?.refusal?.reason == .locked
                }
            }
        }
        var options = try house.options("Coded")
        options.policy = .code
        try await withRoom(options) { room in
            var stranger = try house.controller("Green")
            stranger.code = AdmissionCode("0000-0000")
            let address = RoomAddress.direct(host: "127.0.0.1", port: Int(room.port))
            await #expect {
                try await withController(stranger, joining: address, trust: .fingerprint(room.ticket.pin)) { _ in }
            } throws: {
                ($0 as? JoinError)?.refusal?.reason == .wrongCode
            }
            try await withController(house.controller("Green"), joining: room.local) { controller in
                #expect(controller.seat.seat == 1)
            }
        }
    }
}
