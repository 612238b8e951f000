import CNATS

/// What came from a broker, copied out of the library's memory.
package struct BrokerMessage: Hashable, Sendable {
    package var subject: String
    /// Where an answer goes.
    package var reply: String?
    package var payload: [UInt8]
    /// Of the server's own messages: 503 that nobody hears the subject, 100 a heartbeat or a question of flow control.
    var status: Int?
    /// The same in its words.
    var words: String?
    /// Of a heartbeat: the newest of the consumer's numbers, and whom to tell that we go on.
    var lastOfConsumer: UInt64?
    var stalled: String?

    /// - Parameter message: the library's, which is freed.
    init(taking message: OpaquePointer) {
        func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
        subject = text(nats_message_subject(message)) ?? ""
        reply = text(nats_message_reply(message))
        let length = Int(nats_message_length(message))
        payload =
            nats_message_payload(message).map { Array(UnsafeRawBufferPointer(start: $0, count: max(0, length))) } ?? []
        status = text(nats_message_header(message, "Status")).flatMap { Int($0) }
        if status != nil {
            words = text(nats_message_header(message, "Description"))
            lastOfConsumer = text(nats_message_header(message, "Nats-Last-Consumer")).flatMap { UInt64($0) }
            stalled = text(nats_message_header(message, "Nats-Consumer-Stalled"))
        }
        nats_message_free(message)
    }
}
