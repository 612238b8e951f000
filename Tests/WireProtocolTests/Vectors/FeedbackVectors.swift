import Testing
import WireProtocol

@Suite("Golden vectors, host to controller")
struct FeedbackVectors {
    @Test("The datagrams of a host are, byte for byte, those of Documentation/vectors/feedback.json")
    func feedback() throws {
        let file = VectorFile(
            about: "Datagrams from a host to a controller. See Documentation/WIRE-FORMAT.md.",
            vectors: try acknowledgements() + others())
        try file.check(against: "feedback.json", ignoring: \.withoutSeal)
    }

    private func acknowledgements() throws -> [DatagramVector] {
        [
            try DatagramVector(
                "all-arrived", "Everything below 100 is settled: no bitmap.", kind: .feedback, number: 0
            ) { _ = $0.writeAcknowledgement(stream: 0, epoch: 0, cumulative: 100, end: 100) { _ in true } },
            try DatagramVector(
                "holes", "100 is missing; 101, 102, 105 and 110 have arrived: two bytes of bitmap.",
                kind: .feedback, number: 1
            ) {
                let arrived: Set<UInt32> = [101, 102, 105, 110]
                _ = $0.writeAcknowledgement(stream: 0, epoch: 3, cumulative: 100, end: 111) { arrived.contains($0) }
            },
            try DatagramVector(
                "widest-bitmap", "Only the newest of a whole window has arrived: 512 bytes of bitmap.",
                kind: .feedback, number: 2
            ) {
                _ = $0.writeAcknowledgement(stream: 7, epoch: 0, cumulative: 0, end: 4_096) { $0 == 4_095 }
            },
            try DatagramVector(
                "end-of-indexes", "Every index of a stream epoch is settled.", kind: .feedback, number: 3
            ) { _ = $0.writeAcknowledgement(stream: 0, epoch: 255, cumulative: .max, end: .max) { _ in true } },
        ]
    }

    private func others() throws -> [DatagramVector] {
        [
            try DatagramVector("probe", "What time is it? Sent at 5 s on the host's clock.", kind: .feedback, number: 4)
            {
                _ = $0.writeProbe(id: 513)
                _ = $0.writeAccount(highest: 11, unique: 10)
            },
            try DatagramVector(
                "messages", "Two reliable messages (a haptic, an identify) and a receipt.", kind: .feedback, number: 5
            ) {
                _ = $0.writeMessage(id: 0, body: [1, 0, 0, 0, 9, 178, 128, 0, 60, 1, 244])
                _ = $0.writeMessage(id: 1, body: [4])
                _ = $0.writeReceipt(next: 1)
            },
            try DatagramVector("data", "Newest-wins data on channel 2.", kind: .feedback, number: 6) {
                _ = $0.writeData(channel: 2, sequence: 77, body: Array("score 12".utf8))
            },
            try DatagramVector("closing", "The room closes.", kind: .feedback, number: 7) {
                _ = $0.writeGoodbye(.closing, lastSent: 7)
            },
            try DatagramVector(
                "browser-feedback", "An acknowledgement inside TLS.", kind: .browserFeedback, number: 0
            ) { _ = $0.writeAcknowledgement(stream: 0, epoch: 0, cumulative: 1, end: 1) { _ in true } },
        ]
    }
}
