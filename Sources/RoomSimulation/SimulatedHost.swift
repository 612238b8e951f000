import InputMerge
import RoomEngine
import SessionCoordinator
import WireProtocol

/// A host with its shell's part of the work done by hand: outputs are performed into lists, leases are kept on a disk
/// that outlives its process.
struct SimulatedHost: Sendable {
    private(set) var engine: Engine
    let configuration: EngineConfiguration
    /// Said on control connections and not yet taken by whoever is there.
    var said: [(conversation: ConversationID, message: ControlMessage)] = []
    /// Connections that the host closed.
    var closed: [ConversationID] = []
    /// Feedback that left.
    var sent: [(destination: FeedbackDestination, bytes: [UInt8])] = []
    /// Everything told since it was last looked at.
    var events: [RoomEvent] = []
    var answers: [RequestID: Result<RoomAnswer, RoomError>] = [:]
    var offersEnded: [OfferID] = []
    private(set) var disk: [Lease] = []
    private(set) var talents: [ControllerID: PlayerTalents] = [:]
    /// Of everything that left, in order: two evenings that are the same have the same.
    private(set) var digest = Digest()
    private(set) var turns = 0
    /// Everything that came in has been told: seats and links had their turn since.
    private(set) var isSettled = true
    private var outputs: [RoomOutput] = []

    init(_ configuration: EngineConfiguration, now: HostTime) {
        self.configuration = configuration
        engine = Engine(configuration: configuration, now: now)
    }

    /// The process dies, and another one finds what was committed.
    mutating func restart(now: HostTime) {
        engine = Engine(configuration: configuration, leases: disk, talents: talents, now: now)
        said = []
        closed = []
        sent = []
    }

    mutating func handle(_ input: RoomInput, at now: HostTime) {
        engine.handle(input, at: now, cipher: ToyCipher())
    }

    mutating func receive(_ datagram: inout [UInt8], from source: PeerAddress, arrivedAt: HostTime, now: HostTime) {
        datagram.withUnsafeMutableBytes {
            engine.receive($0, from: source, arrivedAt: arrivedAt, now: now, cipher: ToyCipher())
        }
    }

    mutating func receive(unsealed datagram: [UInt8], from conversation: ConversationID, now: HostTime) {
        datagram.withUnsafeBytes { engine.receive(unsealed: $0, from: conversation, arrivedAt: now, now: now) }
    }

    /// One turn of the room's thread.
    mutating func turn(_ now: HostTime) {
        turns += 1
        isSettled = engine.advance(to: now)
        if isSettled { collectFeedback(now) }
        engine.takeOutputs(into: &outputs)
        for output in outputs { perform(output) }
    }

    private mutating func collectFeedback(_ now: HostTime) {
        withUnsafeTemporaryAllocation(byteCount: WireFormat.maximumDatagramSize, alignment: 8) { buffer in
            while let (destination, count) = engine.nextFeedback(into: buffer, now: now, cipher: ToyCipher()) {
                let bytes = Array(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                digest.take(bytes)
                sent.append((destination, bytes))
            }
        }
    }

    private mutating func perform(_ output: RoomOutput) {
        switch output {
        case .event(let event):
            digest.take("\(event)".utf8)
            events.append(event)
        case .answer(let request, let answer): answers[request] = answer
        case .say(let conversation, let message): said.append((conversation, message))
        case .close(let conversation): closed.append(conversation)
        case .commit(let changes, let conversation, let message):
            for change in changes { commit(change) }
            if let conversation, let message { said.append((conversation, message)) }
        case .keep(let controller, let kept): talents[controller] = kept.isEmpty ? nil : kept
        case .offerEnded(let id, _): offersEnded.append(id)
        case .freeSeats, .received, .motions, .deliveryEnded: break
        }
    }

    private mutating func commit(_ change: LeaseChange) {
        switch change {
        case .keep(let lease):
            disk.removeAll { $0.controller == lease.controller || $0.seat == lease.seat }
            disk.append(lease)
            disk.sort { $0.seat < $1.seat }
        case .remove(let controller):
            disk.removeAll { $0.controller == controller }
            talents[controller] = nil
        }
    }
}

/// FNV-1a over 64 bits: what two runs of one seed must share.
struct Digest: Hashable, Sendable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func take(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
}
