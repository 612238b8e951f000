import ControllerSession
import Testing
import WireProtocol

@Suite("What a controller sends")
struct SendingTests {
    @Test("Nothing leaves before the link is opened, then a datagram leaves at once")
    func opening() throws {
        var controller = Controller(isOpen: false)
        #expect(throws: SampleError.self) { try controller.append(at: 0) }
        #expect(controller.link.nextDeadline == nil)
        #expect(controller.send(at: 1).isEmpty)
        controller.open(1, continues: false, at: 2)
        #expect(controller.send(at: 2).map(\.indexes) == [[]])
    }

    @Test("Each sample leaves at once, with those of the two datagrams before")
    func immediately() throws {
        var controller = Controller()
        let sent = try controller.stream(from: 0, count: 4)
        #expect(sent.map(\.number) == [0, 1, 2, 3])
        #expect(sent.map(\.indexes) == [[0], [0, 1], [0, 1, 2], [1, 2, 3]])
        #expect(sent.map(\.sentAt) == [0, 10, 20, 30].map { DeviceTime.ms($0).nanoseconds })
    }

    @Test("What the host has is not repeated")
    func acknowledged() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 3)
        controller.acknowledge(below: 3, at: 25)
        #expect(try controller.stream(from: 30, count: 1).map(\.indexes) == [[3]])
        #expect(controller.link.report.streams[0].floor == 3)
    }

    @Test("Samples that come faster than 8 ms share a datagram, and none waits longer")
    func coalescing() throws {
        var controller = Controller()
        var sent: [(at: Double, datagram: ReadDatagram)] = []
        for step in 0..<800 {
            let time = Double(step) * 1.25
            sent += controller.idle(until: time).map { ($0.at.since, $0.datagram) }
            try controller.append(at: time)
            sent += controller.send(at: time).map { (time, $0) }
        }
        #expect(sent.count <= 126)
        var arrived = Set<UInt32>()
        for (time, datagram) in sent {
            for index in datagram.indexes where arrived.insert(index).inserted {
                #expect(time - Double(index) * 1.25 <= 8)
            }
        }
        #expect(arrived.count >= 793)
    }

    @Test("A sample whose forerunner left late does not wait for that, and the third in a row does")
    func lateForerunner() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 10)
        // The program slept over two ticks, and makes up for them.
        for time in [127.0, 127.5, 128.0] { try controller.append(at: time) }
        #expect(controller.send(at: 128).map { Set($0.indexes).isSuperset(of: [10, 11, 12]) } == [true])
        try controller.append(at: 130)
        #expect(controller.send(at: 130).map { $0.indexes.contains(13) } == [true])
        try controller.append(at: 131)
        #expect(controller.send(at: 131).isEmpty)
        #expect(controller.idle(until: 139).map { $0.at.since } == [136])
    }

    @Test("After a burst that filled many datagrams the next sample waits for no more than an interval")
    func afterBurst() throws {
        var controller = Controller()
        _ = controller.send(at: 0)
        for step in 0..<800 {
            let sample = Sample(sampledAt: .ms(Double(step) * 1.25))
            try controller.link.append(sample, to: 0, now: .ms(1_000))
        }
        #expect(controller.send(at: 1_000).count > 5)
        try controller.append(at: 1_001)
        let next = try #require(controller.idle(until: 1_050).first { $0.datagram.indexes.contains(800) })
        #expect(next.at.since <= 1_008)
    }

    @Test("A batch of a second is spread over datagrams that leave one after another")
    func batch() throws {
        var controller = Controller()
        _ = controller.send(at: 0)
        for step in 0..<800 {
            let sample = Sample(sampledAt: .ms(Double(step) * 1.25))
            try controller.link.append(sample, to: 0, now: .ms(1_000))
        }
        let sent = controller.send(at: 1_000)
        #expect(Set(sent.flatMap(\.indexes)) == Set(0..<800))
        #expect(sent.count <= 12)
        #expect(sent.allSatisfy { $0.size <= WireFormat.maximumDatagramSize })
    }

    @Test("A datagram never exceeds 1,200 bytes, whatever waits", arguments: 1...16)
    func size(streams: Int) throws {
        let declarations = (0..<streams).map { StreamDeclaration(stream: StreamID($0), measures: .known) }
        var controller = Controller(streams: declarations)
        for _ in 0..<20 { try controller.link.send(.application([UInt8](repeating: 1, count: 511))) }
        for channel in UInt8(0)..<16 {
            try controller.link.sendNewest([UInt8](repeating: 2, count: 512), channel: channel)
        }
        for step in 0..<100 {
            for stream in 0..<streams { try controller.append(at: Double(step), to: StreamID(stream)) }
        }
        var arrived = [Set<UInt32>](repeating: [], count: streams)
        for time in stride(from: 100.0, to: 2_000, by: 8) {
            for datagram in controller.send(at: time) {
                #expect(datagram.size <= WireFormat.maximumDatagramSize)
                for stream in datagram.streams { arrived[Int(stream.stream)].formUnion(stream.indexes) }
            }
        }
        #expect(arrived.allSatisfy { $0.count == 100 })
    }

    @Test("A link with nothing to say sends a heartbeat without blocks every 500 ms")
    func heartbeat() throws {
        var controller = Controller()
        _ = controller.send(at: 0)
        var sent: [(at: DeviceTime, datagram: ReadDatagram)] = []
        for time in stride(from: 100.0, to: 2_000, by: 100) {
            controller.hear(at: time)
            sent += controller.idle(until: time)
        }
        #expect(sent.map(\.at.since) == [500, 1_000, 1_500])
        #expect(sent.allSatisfy { $0.datagram.streams.isEmpty })
        #expect(controller.link.report.heartbeats == 4)
    }

    @Test("The last samples before a pause are repeated, ever more slowly, until the host has them")
    func tail() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 10)
        let sent = controller.idle(until: 1_000)
        #expect(sent.prefix(3).map(\.at.since) == [115, 165, 265])
        #expect(sent.allSatisfy { Set($0.datagram.indexes) == Set(0..<10) })
        #expect(sent.count <= 6)
        controller.acknowledge(below: 10, at: 1_001)
        #expect(controller.idle(until: 1_900).allSatisfy { $0.datagram.streams.isEmpty })
    }

    @Test("What feedback shows to be lost is sent again with the next sample, the newest still first")
    func lost() throws {
        var controller = Controller()
        let sent = try controller.stream(from: 0, count: 12)
        let lost = (3..<7).filter { sent.last?.indexes.contains($0) == false }
        #expect(lost.count >= 2)
        controller.acknowledge(below: 3, and: [7, 8, 9, 10, 11], account: 11, at: 112)
        #expect(try controller.stream(from: 120, count: 1).map(\.indexes) == [[12] + lost])
    }

    @Test("A sample that the account does not reach yet is not taken for lost")
    func underway() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 12)
        controller.acknowledge(below: 8, account: 7, at: 112)
        #expect(try controller.stream(from: 120, count: 1).map(\.indexes) == [[10, 11, 12]])
    }

    @Test("After an outage the backlog leaves in a few full datagrams, 8 ms apart")
    func drain() throws {
        var controller = Controller()
        let before = try controller.stream(from: 0, count: 900)
        controller.acknowledge(below: 1, and: [898, 899], account: 899, at: 9_000)
        let lost = Set(1..<898).subtracting(before.last?.indexes ?? [])
        let sent = controller.idle(until: 9_150)
        let isRepeated = lost.isSubset(of: Set(sent.flatMap(\.datagram.indexes)))
        #expect(isRepeated)
        #expect(sent.count <= 16)
        #expect(zip(sent, sent.dropFirst()).allSatisfy { $1.at.since - $0.at.since >= 8 })
    }

    @Test("Samples older than 10 s fall off, are counted as abandoned, and raise the floor")
    func expiry() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 100)
        #expect(try controller.stream(from: 10_495, count: 1).last?.streams[0].floor == 50)
        #expect(controller.link.report.streams[0].abandoned == 50)
        #expect(controller.link.report.streams[0].isBalanced)
    }

    @Test(
        "Who stood still for half a minute sends the last 10 s of what waited, wherever its sensor's clock stands",
        arguments: [0, 3_600_000.0])
    func backlog(behind: Double) throws {
        var controller = Controller()
        func append(_ time: Double, at now: Double) throws {
            try controller.link.append(Sample(sampledAt: .ms(time - behind)), to: 0, now: .ms(now))
        }
        for step in 0..<100 { try append(Double(step) * 10, at: Double(step) * 10) }
        _ = controller.send(at: 1_000)
        controller.acknowledge(below: 100, at: 1_010)
        for step in 0..<3_000 { try append(1_000 + Double(step) * 10, at: 31_000) }
        controller.acknowledge(below: 100, at: 31_000)
        let sent = controller.send(at: 31_000)
        #expect(Set(sent.flatMap(\.indexes)) == Set(2_100..<3_100))
        #expect(sent.allSatisfy { $0.streams.allSatisfy { $0.floor == 2_100 } })
        let books = controller.link.report.streams[0]
        #expect((books.appended, books.acknowledged, books.abandoned) == (3_100, 100, 2_000))
        #expect(books.isBalanced)
    }

    @Test("What a sensor keeps for as long as it declared is no backlog, and is held for 10 s from when it came")
    func declaredBatch() throws {
        var controller = Controller(streams: [StreamDeclaration(stream: 0, batch: .seconds(10))])
        func take(from start: Double, at now: Double) throws {
            for step in 0..<1_000 {
                let sample = Sample(sampledAt: .ms(start + Double(step) * 10))
                try controller.link.append(sample, to: 0, now: .ms(now))
            }
            controller.hear(at: now)
            _ = controller.send(at: now)
        }
        try take(from: 0, at: 10_000)
        controller.acknowledge(below: 1_000, at: 10_010)
        // The sensor's batch waited for 5 s more.
        try take(from: 10_000, at: 25_000)
        _ = controller.send(at: 35_000)
        #expect(controller.link.report.streams[0].unacknowledged == 1_000)
        _ = controller.send(at: 35_001)
        #expect(controller.link.report.streams[0].abandoned == 1_000)
    }

    @Test("A stream that stopped still tells that its samples fell off")
    func expiryAtRest() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 3)
        let floors = controller.idle(until: 12_000).compactMap { $0.datagram.streams.first?.floor }
        #expect(floors.last == 3)
    }

    @Test("Who wakes after ten minutes sends nothing of what it held")
    func sleeping() throws {
        var controller = Controller()
        _ = try controller.stream(from: 0, count: 100)
        let woken = controller.send(at: 600_000)
        #expect(woken.flatMap(\.indexes).isEmpty)
        #expect(controller.link.report.streams[0].abandoned == 100)
        #expect(controller.link.needsRejoin)
    }

    @Test("Repeats on suspicion cost a good link less than three times what its samples alone would")
    func overhead() throws {
        var controller = Controller()
        var bytes = 0
        for step in 0..<1_000 {
            let time = Double(step) * 10
            try controller.append(at: time)
            for datagram in controller.send(at: time) { bytes += datagram.size }
            if step % 20 == 19 { controller.acknowledge(below: UInt32(step + 1), account: UInt32(step), at: time + 5) }
        }
        let alone = 1_000 * (9 + 8 + 10 + 13 + 15 + 16)
        #expect(bytes < 3 * alone)
        #expect(controller.link.report.redundancy == 1)
    }

    @Test("A log of runs, when asked for, names exactly the samples in the datagram")
    func log() throws {
        var configuration = ControllerLink.Configuration()
        configuration.recordsRuns = true
        var controller = Controller(configuration: configuration)
        for step in 0..<30 {
            try controller.append(at: Double(step) * 10)
            for (sent, bytes) in controller.sendBytes(at: .ms(Double(step) * 10)) {
                let read = ReadDatagram(bytes, epoch: controller.epoch, declarations: controller.declarations)
                #expect(sent.runs.flatMap { $0.first..<$0.first + $0.count } == read?.indexes)
            }
        }
    }

    @Test("What was lost of a slow stream is sent again within 50 ms, though its next sample takes longer")
    func slowStream() throws {
        var controller = Controller()
        for step in 0..<60 {
            _ = try controller.stream(from: Double(step) * 60, count: 1)
            let next = UInt32(step) + 1
            controller.acknowledge(below: next, account: UInt32(step), at: Double(step) * 60 + 5)
        }
        let sent = try controller.stream(from: 3_600, count: 4, every: 60)
        #expect(sent.map(\.number) == [60, 61, 62, 63])
        // The first is in three of them, which were lost: the fourth has come.
        controller.acknowledge(below: 60, and: [63], account: 63, at: 3_785)
        let repeated = controller.idle(until: 3_830)
        #expect(repeated.map(\.datagram.indexes) == [[60]])
        #expect(repeated.first?.at == .ms(3_830))
    }
}

extension DeviceTime {
    /// Milliseconds since the tests' beginning.
    var since: Double { (self - DeviceTime.ms(0)).milliseconds }
}
