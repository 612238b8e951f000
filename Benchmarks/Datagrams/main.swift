// What opening and receiving datagrams costs, side by side in one run: medians of paired ratios, for this machine only.
// `DatagramBenchmark [PEERS ...]`, else 1,000 and 10,000.

import BenchmarkFigures
import Datagrams
import WireProtocol

print("Opening 104 bytes (9 of header, 79 of payload, 16 of tag) in place, 1,000 keys in turn, ns each:")
for suite in CipherSuite.allCases {
    let fallback = LinkCipher.crypto(CryptoCipher(suite))
    guard let sodium = SodiumCipher(suite).map(LinkCipher.sodium) else {
        print("  \(suite.rawValue): no libsodium here")
        continue
    }
    let pairs = (0..<41).map { _ in (fast: openingTime(sodium), slow: openingTime(fallback)) }
    let (fast, slow) = (median(pairs.map(\.fast)), median(pairs.map(\.slow)))
    let ratio = median(pairs.map { $0.slow / $0.fast })
    print("  \(suite.rawValue): libsodium \(rounded(fast)), swift-crypto \(rounded(slow)), ratio \(rounded(ratio))")
    try Figure("open-\(suite.rawValue)", in: "ns", pairs.map(\.fast), beside: pairs.map(\.slow)).keep()
}

let rooms = CommandLine.arguments.dropFirst().compactMap { Int($0) }.filter { (1...10_000).contains($0) }
for peers in rooms.isEmpty ? [1_000, 10_000] : rooms {
    print(
        "Draining \(PathBenchmark.burst) datagrams that wait in the socket, \(peers) peers, ns of processor time each:")
    for suite in CipherSuite.allCases {
        let benchmark = try PathBenchmark(peers: peers, suite: suite)
        let rounds = try (0..<65).map { _ in try benchmark.round() }.dropFirst(8)
        let (raw, booked, played) = (rounds.map(\.raw), rounds.map(\.booked), rounds.map(\.played))
        let ratio = { (ours: [Double]) in rounded(median(zip(raw, ours).map { $0 / $1 })) }
        print(
            "  \(suite.rawValue): bare C \(rounded(median(raw))); opened and booked \(rounded(median(booked))), "
                + "ratio \(ratio(booked)); merged, told and answered too \(rounded(median(played))), ratio \(ratio(played))"
        )
        let nio = rounds.compactMap(\.nio)
        if nio.count == rounds.count {
            print("    NIO's own datagram channel, which opens nothing: \(rounded(median(nio))), ratio \(ratio(nio))")
            try Figure("booked-nio-\(suite.rawValue)-\(peers)", in: "ns", booked, beside: nio).keep()
        } else {
            print("    NIO's own datagram channel lost some of the burst: net.core.rmem_max is below 4 MiB")
        }
        try Figure("booked-\(suite.rawValue)-\(peers)", in: "ns", booked, beside: raw).keep()
        try Figure("whole-\(suite.rawValue)-\(peers)", in: "ns", played, beside: raw).keep()
    }
}
