// What losses add to the way of a sample, beside what TCP and ENet's reliable packets make of the same network: 60 samples a
// second, each stream on a network of its own, whose packets are lost by the same seeded draws for all three.
//
//     LossBenchmark [SECONDS]      20 unless said otherwise; needs root, for two hosts in network namespaces
//
// A sample's delay goes from when it was made to when the other host's program had it; what a packet takes in any case is not
// counted. Samples that had not come 10 s after the last was made count as missing.
import Foundation

let seconds = CommandLine.arguments.dropFirst().first.map { Int($0) ?? 0 } ?? 20
do {
    guard (1...600).contains(seconds), CommandLine.arguments.count <= 2 else {
        throw LossBenchmark.Missing(description: "use: LossBenchmark [SECONDS], 1 to 600")
    }
    try LossBenchmark(seconds: seconds).run()
} catch {
    FileHandle.standardError.write(Data("LossBenchmark: \(error)\n".utf8))
    // As ENetPeers does where something is missing on this machine.
    exit(69)
}
