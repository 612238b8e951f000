import Testing
import WireProtocol

@testable import Datagrams
@testable import Identity
@testable import Roomful

@Suite("Datagram socket")
struct DatagramSocketTests {
    /// Receives until `count` datagrams came, or none for 5 s: their bytes and their senders.
    private func collect(_ count: Int, from socket: DatagramSocket) throws -> [(bytes: [UInt8], sender: PeerAddress)] {
        let batch = IncomingBatch()
        var all: [(bytes: [UInt8], sender: PeerAddress)] = []
        while all.count < count, socket.wait(atMost: .seconds(5)).contains(.datagrams) {
            try socket.receive(into: batch)
            for index in 0..<batch.count { all.append((Array(batch[index]), batch.sender(at: index))) }
        }
        return all
    }

    private func fill(_ batch: OutgoingBatch, with bytes: [UInt8], to address: PeerAddress) {
        batch.room.copyBytes(from: bytes)
        batch.append(bytes.count, to: address)
    }

    private func loopback(_ socket: DatagramSocket, isIPv6: Bool) -> PeerAddress {
        isIPv6
            ? PeerAddress(high: 0, low: 1, port: socket.address.port)
            : PeerAddress(ipv4: 0x7F00_0001, port: socket.address.port)
    }

    @Test("A full batch arrives whole and in order over loopback")
    func batchByIPv4() throws { try checkBatch(isIPv6: false) }

    @Test("So it does by IPv6", .enabled(if: hasIPv6, "this machine has no IPv6"))
    func batchByIPv6() throws { try checkBatch(isIPv6: true) }

    private func checkBatch(isIPv6: Bool) throws {
        let (host, pad) = (try DatagramSocket(), try DatagramSocket())
        let batch = OutgoingBatch()
        var sent: [[UInt8]] = []
        while !batch.isFull {
            sent.append([UInt8](repeating: UInt8(sent.count), count: sent.count * 18))
            fill(batch, with: sent[sent.count - 1], to: loopback(host, isIPv6: isIPv6))
        }
        try #require(pad.send(batch) == DatagramSocket.SendTally(sent: 64, crowdedOut: 0, refused: 0))
        #expect(batch.isEmpty)

        let received = try collect(64, from: host)
        #expect(received.map(\.bytes.count) == sent.map(\.count))
        #expect(zip(received, sent).allSatisfy { $0.bytes == $1 })
        #expect(received.allSatisfy { $0.sender == loopback(pad, isIPv6: isIPv6) })
    }

    @Test("An answer to the sender's address reaches it")
    func answer() throws {
        let (host, pad) = (try DatagramSocket(), try DatagramSocket())
        let batch = OutgoingBatch()
        fill(batch, with: [1], to: loopback(host, isIPv6: false))
        pad.send(batch)
        let question = try #require(try collect(1, from: host).first)
        fill(batch, with: [2], to: question.sender)
        host.send(batch)
        #expect(try collect(1, from: pad).map(\.bytes) == [[2]])
    }

    @Test("An answer leaves from the address that was dialled, whichever the system would choose")
    func dialled() throws { try checkDialled(["127.0.0.2", "127.0.0.1", "127.0.0.3"]) }

    @Test("So it does by IPv6 beside IPv4, on one socket", .enabled(if: hasIPv6, "this machine has no IPv6"))
    func dialledByEither() throws { try checkDialled(["127.0.0.2", "::1", "127.0.0.1"]) }

    @Test("So it does on a socket without IPv6")
    func dialledByIPv4() throws { try checkDialled(["127.0.0.2", "127.0.0.1"], isIPv4Only: true) }

    private func checkDialled(_ hosts: [String], isIPv4Only: Bool = false) throws {
        var options = DatagramSocket.Options()
        options.notesDialled = true
        options.isIPv4Only = isIPv4Only
        let (host, pad) = (try DatagramSocket(options: options), try DatagramSocket())
        let dialled = hosts.compactMap { PeerAddress(host: $0, port: host.address.port) }
        let batch = OutgoingBatch()
        for (place, address) in dialled.enumerated() { fill(batch, with: [UInt8(place)], to: address) }
        try #require(pad.send(batch).sent == hosts.count)

        let incoming = IncomingBatch()
        var count = 0
        while count < hosts.count, host.wait(atMost: .seconds(5)).contains(.datagrams) {
            count += try host.receive(into: incoming)
            for index in 0..<incoming.count {
                batch.room.copyBytes(from: incoming[index])
                batch.append(incoming[index].count, to: incoming.sender(at: index), from: incoming.dialled(at: index))
            }
        }
        try #require(host.send(batch).sent == hosts.count)
        let answers = try collect(hosts.count, from: pad)
        #expect(answers.map(\.bytes) == dialled.indices.map { [UInt8($0)] })
        #expect(answers.map(\.sender) == dialled)
    }

    @Test("What cannot leave from its address, as that is not ours, leaves from another, and holds nobody up")
    func foreignOwn() throws {
        let (host, pad) = (try DatagramSocket(), try DatagramSocket())
        let (batch, target) = (OutgoingBatch(), loopback(pad, isIPv6: false))
        let owns: [UInt32] = [0x7F00_0002, 0xC000_0201, 0xFFFF_FFFF, 0x7F00_0003]
        for (place, own) in owns.enumerated() {
            batch.room[0] = UInt8(place)
            let address = PeerAddress(ipv4: own, port: 0)
            batch.append(1, to: target, from: OwnAddress(high: address.high, low: address.low))
        }
        #expect(host.send(batch) == DatagramSocket.SendTally(sent: 4, crowdedOut: 0, refused: 0))
        let received = try collect(4, from: pad)
        #expect(received.map(\.bytes) == [[0], [1], [2], [3]])
        #expect(received.map(\.sender.host) == ["127.0.0.2", "127.0.0.1", "127.0.0.1", "127.0.0.3"])
    }

    @Test("Without being asked a socket notes no address that was dialled")
    func notDialled() throws {
        let host = try DatagramSocket()
        try send([1], to: host)
        let batch = IncomingBatch()
        #expect(host.wait(atMost: .seconds(5)) == .datagrams)
        #expect(try host.receive(into: batch) == 1)
        #expect(batch.dialled(at: 0) == .unknown)
    }

    @Test("A socket without IPv6 serves IPv4, under the same kind of address, and refuses to send to IPv6")
    func ipv4Only() throws {
        var options = DatagramSocket.Options()
        options.isIPv4Only = true
        let (host, pad) = (try DatagramSocket(options: options), try DatagramSocket(options: options))
        #expect(!host.servesIPv6)
        let batch = OutgoingBatch()
        fill(batch, with: [1], to: loopback(host, isIPv6: false))
        fill(batch, with: [2], to: loopback(host, isIPv6: true))
        fill(batch, with: [3], to: loopback(host, isIPv6: false))
        #expect(pad.send(batch) == DatagramSocket.SendTally(sent: 2, crowdedOut: 0, refused: 1))
        let received = try collect(2, from: host)
        #expect(received.map(\.bytes) == [[1], [3]])
        #expect(received[0].sender == loopback(pad, isIPv6: false))
    }

    @Test("A datagram that cannot be sent does not hold up those behind it")
    func refused() throws {
        let (host, pad) = (try DatagramSocket(), try DatagramSocket())
        let batch = OutgoingBatch()
        fill(batch, with: [1], to: loopback(host, isIPv6: false))
        fill(batch, with: [2], to: PeerAddress(ipv4: 0x7F00_0001, port: 0))
        fill(batch, with: [3], to: loopback(host, isIPv6: false))
        #expect(pad.send(batch) == DatagramSocket.SendTally(sent: 2, crowdedOut: 0, refused: 1))
        #expect(try collect(2, from: host).map(\.bytes) == [[1], [3]])
    }

    @Test("A datagram longer than its room is reported at its true length, and its neighbours are unharmed")
    func oversized() throws {
        let host = try DatagramSocket()
        let lengths = [0, 1200, 1201, 2048, 2049, 9000, 20]
        for length in lengths { try send([UInt8](repeating: 7, count: length), to: host) }
        let batch = IncomingBatch()
        #expect(host.wait(atMost: .seconds(5)) == .datagrams)
        #expect(try host.receive(into: batch) == lengths.count)
        #expect((0..<batch.count).map(batch.length(at:)) == lengths)
        #expect((0..<batch.count).map { batch[$0].count } == [0, 1200, 1201, 2048, 2048, 2048, 20])
    }

    @Test("What the kernel had no room for is counted by the kernel")
    func kernelDrops() throws {
        var options = DatagramSocket.Options()
        options.receiveBufferBytes = 4096
        let (host, pad) = (try DatagramSocket(options: options), try DatagramSocket())
        #expect(host.kernelDrops == 0)
        let batch = OutgoingBatch()
        while !batch.isFull { fill(batch, with: [UInt8](repeating: 1, count: 1000), to: loopback(host, isIPv6: false)) }
        #expect(pad.send(batch).sent == 64)
        let arrived = IncomingBatch()
        try host.receive(into: arrived)
        #expect(arrived.count < 64)
        #expect(host.kernelDrops == 64 - arrived.count)
    }

    @Test("Arrivals are stamped when asked for, and only then", arguments: [false, true])
    func stamps(isStamped: Bool) throws {
        var options = DatagramSocket.Options()
        options.stampsArrivals = isStamped
        let host = try DatagramSocket(options: options)
        try send([1], to: host)
        let batch = IncomingBatch()
        #expect(host.wait(atMost: .seconds(5)) == .datagrams)
        #expect(try host.receive(into: batch) == 1)
        #expect((batch.waited(at: 0) != nil) == isStamped)
    }

    @Test("A port in use, or an address that is not ours, is an error that says what to do")
    func errors() throws {
        let first = try DatagramSocket()
        let clash = #expect(throws: SocketError.self) { try DatagramSocket(at: .any(port: first.address.port)) }
        #expect(clash?.code == .portInUse)
        let sentence = "cannot open UDP port \(first.address.port): another program uses it"
        #expect(clash?.description.hasPrefix(sentence) == true)

        let foreign = try #require(PeerAddress("[2001:db8::1]:0"))
        let stranger = #expect(throws: SocketError.self) { try DatagramSocket(at: foreign) }
        #expect(stranger?.code == .noSuchAddress)
    }

    @Test("The granted receive buffer is reported, not the one that was asked for")
    func receiveBuffer() throws {
        var options = DatagramSocket.Options()
        options.receiveBufferBytes = 65_536
        #expect(try DatagramSocket(options: options).receiveBufferBytes == 65_536)
    }

    @Test("An empty socket gives nothing, and does not wait")
    func empty() throws {
        let socket = try DatagramSocket()
        #expect(try socket.receive(into: IncomingBatch()) == 0)
        #expect(socket.wait(atMost: .zero) == [])
        #expect(socket.wait(atMost: .seconds(-1)) == [])
        #expect(socket.send(OutgoingBatch()) == DatagramSocket.SendTally())
    }
}

/// Whether `::1` can be bound here.
let hasIPv6 = (try? DatagramSocket(at: PeerAddress(high: 0, low: 1, port: 0))) != nil
