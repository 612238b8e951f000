import Foundation
import Testing

@testable import Roomful

extension Lan {
    /// What a host's kernel does with a datagram when it is counted.
    enum Way: String { case input, output }

    /// Has the kernel of a host count the datagrams to this UDP port from now on: a witness that shares nothing with our
    /// programs. What comes is counted before any socket has it, and before any is thrown away for want of room.
    func countDatagrams(_ way: Way, toPort port: Int, on host: Int) async throws {
        try await run("nft", "add table inet counted", on: host)
        try await run("nft", "add chain inet counted \(way) { type filter hook \(way) priority 0; }", on: host)
        try await run("nft", "add rule inet counted \(way) udp dport \(port) counter", on: host)
    }

    /// How many that were.
    func countedDatagrams(_ way: Way, on host: Int) async throws -> Int {
        let rules = try await run("nft", "list chain inet counted \(way)", on: host)
        let count = try #require(rules.firstMatch(of: /counter packets ([0-9]+)/), "\(rules)")
        return try #require(Int(count.1))
    }
}

extension HostProgram {
    /// All that the host says it was sent: in a ledger of somebody who is or was here, a stranger's, or thrown away by the
    /// kernel.
    private var classified: Int {
        get async throws {
            let (status, departed) = try await (status, departed)
            return (status.peers + departed).reduce(0) { $0 + $1.datagrams.authenticated }
                + status.strangers.total + (status.strangers.kernelDrops ?? 0)
        }
    }

    /// Waits until the host has classified as many datagrams as another witness counted, for at most `limit`, and expects
    /// that it came to that. Nobody may send any more.
    func classifies(
        _ count: @autoclosure () -> Int, within limit: Duration = patience,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let deadline = ContinuousClock.now + limit
        while try await classified != count(), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        let classified = try await classified
        #expect(classified == count(), "the host classified \(classified)", sourceLocation: location)
        #expect(count() > 0, sourceLocation: location)
    }
}
