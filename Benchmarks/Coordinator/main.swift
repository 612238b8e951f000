// What the coordinator costs, and how that grows with the room: nanoseconds a datagram of an idle core's thread, and
// bytes of the heap a peer, once its last minute is full (in rooms above 1,000, after two seconds); of up to 1,000 peers
// those of the whole engine too, before they have spoken and then. `swift run -c release CoordinatorBenchmark`
//
//     CoordinatorBenchmark hold PEERS      an engine with its last minute full that ends with the program: for a heap profiler
import BenchmarkFigures
import ControllerSession
import Glibc
import SessionCoordinator
import WireProtocol

let rate = 30
let seconds = 5
var perPeer: [(peers: Int, nanoseconds: Double)] = []

if CommandLine.arguments.dropFirst().first == "hold" {
    let peers = CommandLine.arguments.last.flatMap { Int($0) } ?? 100
    var crowd = EngineCrowd(peers: peers, rate: 5)
    crowd.run(seconds: 62)
    // Without letting go of anything.
    withExtendedLifetime(crowd) { exit(0) }
}

print("peers   datagrams   ns a datagram   feedbacks   bytes a peer")
let rooms = CommandLine.arguments.dropFirst().compactMap { Int($0) }
for peers in rooms.isEmpty ? [10, 100, 1_000, 10_000] : rooms {
    var crowd = Crowd(peers: peers, rate: rate)
    crowd.run(seconds: 1)
    let spent = crowd.run(seconds: peers > 1_000 ? 1 : seconds)
    let each = Double(spent.hostNanoseconds) / Double(spent.datagrams)
    perPeer.append((peers, each))
    if peers <= 1_000 { crowd.run(seconds: 70) }
    let held = crowd.giveUpRoom() / peers
    try Figure("coordinator-bytes-a-peer-\(peers)", in: "bytes", [Double(held)]).keep()
    print(
        columns(
            [
                ("\(peers)", 5), ("\(spent.datagrams)", 12), ("\(Int(each.rounded()))", 16), ("\(spent.feedbacks)", 12),
                ("\(held)", 15),
            ]))
    guard peers <= 1_000 else { continue }
    var silent = EngineCrowd(peers: peers, rate: rate)
    let seated = silent.giveUpEngine() / peers
    var speaking = EngineCrowd(peers: peers, rate: rate)
    speaking.run(seconds: 72)
    let whole = speaking.giveUpEngine() / peers
    print("        the engine: \(seated) bytes a peer that has sent nothing, \(whole) once its last minute is full")
    try Figure("engine-bytes-a-silent-peer-\(peers)", in: "bytes", [Double(seated)]).keep()
    try Figure("engine-bytes-a-peer-\(peers)", in: "bytes", [Double(whole)]).keep()
}
if let ten = perPeer.first, let thousand = perPeer.first(where: { $0.peers == 1_000 }) {
    print("a datagram among 1,000 costs \(hundredths(thousand.nanoseconds / ten.nanoseconds)) times one among 10")
}
