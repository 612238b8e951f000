// One side of what Scripts/discovery-benchmark.py measures: does one thing and prints when, in seconds of the machine's
// monotonic clock, which all its programs share.
import ControlPort
import ControllerSession
import Glibc
import PeerDiscovery
import Roomful
import WireProtocol

func tell(_ word: String) {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    print("\(word) \(now.tv_sec).\(String(now.tv_nsec + 1_000_000_000).dropFirst())")
    fflush(nil)
}

let words = CommandLine.arguments.dropFirst()
guard words.count >= 2, let mode = DiscoveryMode(rawValue: words[words.startIndex + 1]) else {
    print("usage: DiscoveryBenchmark publish|browse|join MODE [NAME] [PIN]; started by Scripts/discovery-benchmark.py")
    exit(2)
}
let (role, rest) = (words.first ?? "", Array(words.dropFirst(2)))

switch role {
case "publish":
    // A room of that name, until it is killed.
    tell("asked")
    let record = RoomRecord(
        id: RoomID(bytes: (0..<16).map { _ in .random(in: 0 ... .max) })!, protocolVersion: 1, totalSeats: 4)
    let advertiser = RoomAdvertiser(name: try RoomName(rest[0]), port: 7777, record: record, discovery: mode)
    for await state in advertiser.states {
        if case .published = state { tell("published") }
    }
case "browse":
    // Each room as it appears, until it is killed.
    tell("asked")
    let browser = RoomBrowser(discovery: mode)
    for await change in browser.changes {
        if case .appeared(let room) = change { tell("seen \(room.name)") }
    }
default:
    // By name to a seat, until the host has said that it has a sample.
    tell("asked")
    var options = ControllerOptions(name: "Bench")
    options.discovery = RoomOptions.Discovery(rawValue: mode.rawValue) ?? .auto
    guard let pin = Pin(rest[1]) else { exit(2) }
    try await withController(options, joining: .named(rest[0]), trust: .fingerprint(pin)) { controller in
        tell("seated")
        while await controller.report().streams.first?.acknowledged ?? 0 == 0 {
            controller.send(Sample(sampledAt: Controller.deviceTimeNow(), acceleration: SIMD3(0, 0, 9.8)))
            try await Task.sleep(for: .milliseconds(5))
        }
        tell("accepted")
    }
}
