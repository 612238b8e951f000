import Testing
import WireProtocol

@testable import PeerDiscovery

@Suite("What a program and its responder's process say to each other")
struct ResponderWireTests {
    private static let sighting = Sighting(
        instance: InstanceName(bytes: Array("Léa's 🎮".utf8))!, interface: 3, version: .v6)
    private static let strings: [[UInt8]] = [Array("txtvers=1".utf8), [], [UInt8](repeating: 0xFF, count: 255)]

    private static let requests: [ResponderRequest] = [
        .hello(version: 1, .init(publishes: true, interface: "eth0")),
        .hello(version: .max, .init(publishes: false, interface: nil)),
        .publish(
            7,
            .init(
                name: String(repeating: "é", count: 31), type: "_roomful._tcp", port: 7777, interface: 0,
                strings: strings, subtype: "_cube._sub._roomful._tcp")),
        .publish(.max, .init(name: "", type: "", port: 0, interface: .max, strings: [], subtype: nil)),
        .update(8, strings: strings), .browse(9, type: "_roomful._tcp"), .resolve(10, sighting, type: "_x._tcp"),
        .end(11), .ask(.max),
    ]

    private static let reports: [ResponderReport] = [
        .hello(version: 1, problem: nil), .hello(version: 2, problem: "libavahi-core is missing"), .ready,
        .missing(reason: "no network interface has an address"), .answer(1), .established(2), .collision(3),
        .failed(4, code: -8), .added(5, sighting), .removed(6, sighting), .unreadableName(7), .allForNow(8),
        .resolved(9, .init(address: .v4(0x0A4D_0001), port: 7777, interface: 2, strings: strings)),
        .resolved(9, .init(address: .v6(.max, 1), port: 0, interface: .max, strings: [])), .unresolved(10),
    ]

    @Test("Each arrives as it was said")
    func roundTrips() throws {
        for request in Self.requests { #expect(try ResponderRequest(request.message[...]) == request) }
        for report in Self.reports { #expect(try ResponderReport(report.message[...]) == report) }
    }

    @Test("What is cut off is refused, and so is what goes on too long")
    func cutOrLonger() {
        for request in Self.requests {
            for count in 0..<request.message.count {
                #expect(throws: ResponderWireError.self) { try ResponderRequest(request.message[..<count]) }
            }
            #expect(throws: ResponderWireError.excess) { try ResponderRequest((request.message + [0])[...]) }
        }
        for report in Self.reports {
            for count in 0..<report.message.count {
                #expect(throws: ResponderWireError.self) { try ResponderReport(report.message[..<count]) }
            }
            #expect(throws: ResponderWireError.excess) { try ResponderReport((report.message + [0])[...]) }
        }
    }

    @Test("A text too long for its field ends after a whole character")
    func longTexts() throws {
        let reason = "x" + String(repeating: "é", count: 200)
        let heard = try ResponderReport(ResponderReport.missing(reason: reason).message[...])
        #expect(heard == .missing(reason: "x" + String(repeating: "é", count: 127)))
    }

    @Test("Messages come out whole and in order, however the bytes were cut on their way")
    func frames() throws {
        let said = Self.reports.map(\.message)
        let bytes = said.compactMap(ResponderFrames.framed).flatMap(\.self)
        for size in [1, 2, 3, 7, 64, bytes.count] {
            var frames = ResponderFrames()
            var heard: [[UInt8]] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                frames.take(bytes[start..<min(start + size, bytes.count)])
                while let message = try frames.next() { heard.append(Array(message)) }
            }
            #expect(heard == said)
        }
    }

    @Test("No message is empty or longer than the longest, whoever claims it")
    func lengths() throws {
        #expect(ResponderFrames.framed([]) == nil)
        #expect(ResponderFrames.framed([UInt8](repeating: 1, count: ResponderFrames.longest + 1)) == nil)
        var frames = ResponderFrames()
        frames.take([UInt8(ResponderFrames.longest >> 8), UInt8(ResponderFrames.longest & 0xFF)])
        #expect(try frames.next() == nil)
        for claimed in [0, ResponderFrames.longest + 1, 0xFFFF] {
            var frames = ResponderFrames()
            frames.take([UInt8(claimed >> 8), UInt8(claimed & 0xFF)])
            #expect(throws: ResponderWireError.length(claimed)) { try frames.next() }
        }
    }

    @Test("Bytes of which nothing is right are an error or a message that says the same again, and never the end")
    func noise() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("responder's wire: seed \(seed)")
        var luck = SplitMix64(seed: seed)
        let said = Self.requests.map(\.message) + Self.reports.map(\.message)
        for _ in 0..<40_000 {
            var bytes = said.randomElement(using: &luck) ?? []
            for _ in 0..<Int.random(in: 0...4, using: &luck) {
                let place = Int.random(in: 0...bytes.count, using: &luck)
                switch Int.random(in: 0..<4, using: &luck) {
                case 0: bytes.insert(.random(in: 0 ... .max, using: &luck), at: place)
                case 1 where place < bytes.count: bytes[place] = .random(in: 0 ... .max, using: &luck)
                case 2 where place < bytes.count: bytes[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &luck) ?? 0
                default: bytes.removeSubrange(min(place, bytes.count)..<bytes.count)
                }
            }
            if let request = try? ResponderRequest(bytes[...]) {
                #expect(try ResponderRequest(request.message[...]) == request, "\(bytes)")
            }
            if let report = try? ResponderReport(bytes[...]) {
                #expect(try ResponderReport(report.message[...]) == report, "\(bytes)")
            }
            var frames = ResponderFrames()
            frames.take(bytes)
            while let message = try? frames.next() { #expect(message.count <= ResponderFrames.longest) }
        }
    }
}
