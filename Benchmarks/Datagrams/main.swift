// What opening and receiving datagrams costs, side by side in one run: medians of paired ratios, for this machine only.

import Roomful
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
}

print("Draining \(DrainBenchmark.burst) datagrams that wait in the socket, 1,000 peers, ns of processor time each:")
for suite in CipherSuite.allCases {
    let benchmark = try DrainBenchmark(cipher: LinkCipher.preferred(for: suite))
    let rounds = try (0..<101).map { _ in try benchmark.round() }.dropFirst()
    let ratio = median(rounds.map { $0.raw / $0.sealed })
    print(
        "  \(suite.rawValue): bare C \(rounded(median(rounds.map(\.raw)))), read only",
        "\(rounded(median(rounds.map(\.read)))), opened and windowed \(rounded(median(rounds.map(\.sealed)))),",
        "ratio \(rounded(ratio))")
}
