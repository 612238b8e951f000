// What people hand in as files, and paste: recordings, lines of samples, gestures, configurations, tickets and links. The
// first byte says which.

import Foundation
import Identity
import InputMerge
import MotionFiles
import RoomEngine
import WireProtocol

@testable import RoomfulCLI

/// Called by libFuzzer with bytes of its choice; a trap or a broken promise is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFiles(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    guard let kind = bytes.first, let text = String(validating: bytes.dropFirst(), as: UTF8.self) else { return 0 }
    switch kind {
    case UInt8(ascii: "R"): read(recording: text)
    case UInt8(ascii: "L"): read(lines: text)
    case UInt8(ascii: "G"): read(gestures: text)
    case UInt8(ascii: "C"): read(configuration: text)
    case UInt8(ascii: "T"): read(ticket: text)
    case UInt8(ascii: "U"): read(place: text)
    default: break
    }
    return 0
}

/// What is read can be replayed: finite, in order, and sent within what its sensor declares.
private func read(recording text: String) {
    guard let recording = try? RecordingReader().read(text, named: "fuzz.csv") else { return }
    precondition(!recording.samples.isEmpty && recording.duration >= .zero, "a recording of nothing")
    precondition(recording.declaration.problem == nil, recording.declaration.problem ?? "")
    for sample in recording.samples {
        precondition(sample.measures == recording.declaration.measures, "a sample measures something else")
        check(sample)
    }
    for (earlier, later) in zip(recording.samples, recording.samples.dropFirst()) {
        precondition(earlier.sampledAt < later.sampledAt, "time runs backwards")
    }
}

private func read(lines text: String) {
    var parser = SampleLineParser()
    var latest: DeviceTime?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        guard let sample = try? parser.parse(line, now: DeviceTime(nanoseconds: 5)) else { continue }
        let isInOrder = latest.map { $0 < sample.sampledAt || sample.sampledAt <= $0 - .seconds(1) } ?? true
        precondition(isInOrder, "time runs backwards")
        precondition(sample.measures == parser.measures, "a sample measures something else than the first")
        check(sample)
        latest = sample.sampledAt
    }
}

private func check(_ sample: Sample) {
    let axes = [sample.acceleration.x, sample.acceleration.y, sample.acceleration.z, sample.rotationRate.x]
    precondition(axes.allSatisfy(\.isFinite) && sample.attitude.x.isFinite, "a number that is none")
}

/// What is taken for gestures can be played with.
private func read(gestures text: String) {
    guard let gestures = try? GestureFile.parse(text, from: "fuzz.toml") else { return }
    let configuration = MergeConfiguration(gestures: gestures)
    precondition(configuration.problem == nil, configuration.problem ?? "")
    var merge = Merge(configuration: configuration)
    let key = StreamKey(peer: 1, stream: 0)
    merge.assign(peer: 1, to: [1])
    merge.connect(key, declaration: StreamDeclaration(), now: HostTime(nanoseconds: 0))
    for index in 0..<UInt32(200) {
        let time = Int64(index) * 10_000_000
        // At rest, in the air, and down again, turning all the time.
        let force: Float = (40..<70).contains(index) ? 0.2 : (70..<75).contains(index) ? 60 : 9.81
        let sample = Sample(
            sampledAt: DeviceTime(nanoseconds: time), acceleration: SIMD3(index % 7 == 0 ? 30 : 0, 0, force),
            rotationRate: SIMD3(0, Float(index % 50), 0))
        _ = merge.accept(sample, index: index, of: key, arrivedAt: HostTime(nanoseconds: time))
    }
    for case .gesture(let event) in merge.advance(to: HostTime(nanoseconds: 4_000_000_000)) {
        precondition((0...1).contains(event.strength) && (0...1).contains(event.confidence), "a strength that is none")
    }
}

/// Errors say one line of one file, whatever stands in it; what is taken can be opened.
private func read(configuration text: String) {
    do {
        let file = try ConfigurationFile(text, name: "fuzz.toml", folder: "/")
        precondition((1...ConfigurationFile.mostRooms).contains(file.rooms.count), "a file of no room, or of too many")
    } catch {
        precondition(error.message.hasPrefix("fuzz.toml:"), "an error without its file: \(error.message)")
        precondition(!error.message.unicodeScalars.contains("\u{1B}"), "an escape in an error")
    }
}

private func read(ticket text: String) {
    guard let ticket = try? Ticket(text) else { return }
    precondition((1...Ticket.mostAddresses).contains(ticket.addresses.count), "a ticket to nowhere")
    precondition(ticket.room.unicodeScalars.allSatisfy(isPrintable), "a name that no terminal may show")
    // Lines have no spaces around what they say.
    let isWhole = [ticket.room.first, ticket.room.last].allSatisfy { $0?.isWhitespace == false }
    precondition(!isWhole || (try? Ticket(ticket.text)) == ticket, "a ticket's lines are not what was read")
    // One with many long names does not fit into a URL that is read again.
    guard ticket.url.utf8.count <= Ticket.longest, let again = try? Ticket(ticket.url) else {
        return precondition(ticket.url.utf8.count > Ticket.longest, "a ticket's URL cannot be read")
    }
    precondition(again.pin == ticket.pin && again.code == ticket.code, "a ticket's URL admits otherwise")
    precondition(Set(again.addresses) == Set(ticket.addresses), "a ticket's URL leads elsewhere")
    precondition(again.room == ticket.room && again.roomID == ticket.roomID, "a ticket's URL is for another room")
}

private func read(place text: String) {
    if let url = try? PublicURL(text) {
        precondition((try? PublicURL(url.description)) == url, "a URL is not what was read")
    }
    if let address = Ticket.Address(text) {
        precondition(Ticket.Address(address.description) == address, "an address is not what was read")
    }
    if let id = ControllerID(text) { precondition(ControllerID(id.description) == id, "a controller's id") }
    if let decoded = percentDecoded(text) {
        precondition(percentDecoded(percentEncoded(decoded)) == decoded, "percent signs were lost")
    }
    if let decoded = bytes(base64url: text) { precondition(base64url(decoded) == text, "digits were lost") }
}
