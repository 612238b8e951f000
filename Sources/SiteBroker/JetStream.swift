import Foundation
import SiteRecords

/// What JetStream keeps of a subject, and for how long.
package struct StreamPlan: Hashable, Sendable {
    package var name: String
    package var subjects: [String]
    /// The oldest records go when they are older (`nil`: however old), or when all take more bytes.
    package var age: Duration?
    package var bytes: Int
    /// So many records are kept at most; `nil` for as many as fit.
    package var records: Int?

    package init(name: String, subjects: [String], age: Duration?, bytes: Int, records: Int? = nil) {
        self.name = name
        self.subjects = subjects
        self.age = age
        self.bytes = bytes
        self.records = records
    }

    /// One replica: those of nats-server before 2.10 differ after partitions.
    var configuration: [String: Any] {
        [
            "name": name, "subjects": subjects, "retention": "limits", "storage": "file", "discard": "old",
            "num_replicas": 1, "max_consumers": -1, "max_msgs": records ?? -1, "max_msg_size": -1,
            "max_bytes": bytes, "max_age": Int((age ?? .zero) / .nanoseconds(1)),
            "duplicate_window": Int(min(age ?? .seconds(120), .seconds(120)) / .nanoseconds(1)),
        ]
    }
}

/// A stream as it stands.
package struct StreamFacts: Hashable, Sendable {
    /// Which stream it is: another one of the same name was made at another time.
    package var created: String
    /// Of the oldest record that is kept, and of the newest.
    package var first: UInt64
    package var last: UInt64
    package var messages: UInt64
}

/// One record of a stream.
package struct StreamRecord: Hashable, Sendable {
    /// Its place in the stream, from 1; holes are records that were removed.
    package var sequence: UInt64
    package var subject: String
    package var payload: [UInt8]
    /// When the broker got it, RFC 3339; `nil` where it was not asked for.
    package var storedAt: String? = nil
    /// The same, ns since 1970; `nil` where it is not known.
    package var time: UInt64? = nil
    /// Behind which record its writer had wanted it to stand, or not at all; `nil` where it had no such wish, or that was not
    /// asked for.
    package var follows: UInt64? = nil

    /// What a block of headers says of it, as the broker keeps them: lines behind a first one with NATS's version.
    static func expectation(in headers: Data) -> UInt64? {
        for line in String(decoding: headers, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "nats-expected-last-sequence" else { continue }
            return UInt64(parts[1].trimmingCharacters(in: .whitespaces))
        }
        return nil
    }

    /// Of what the broker writes: RFC 3339, UTC, with up to nine digits behind the second.
    static func nanoseconds(_ text: String) -> UInt64? {
        let parts = text.dropLast().split(separator: ".")
        guard text.hasSuffix("Z"), let whole = parts.first, parts.count <= 2,
            let date = try? Date(String(whole) + "Z", strategy: .iso8601)
        else { return nil }
        let digits = parts.count == 2 ? String(parts[1]) : ""
        // Nanoseconds of 64 bits end in 2554.
        guard digits.utf8.count <= 9, (0..<1e10).contains(date.timeIntervalSince1970),
            let fraction = UInt64(digits + String(repeating: "0", count: 9 - digits.utf8.count))
        else { return nil }
        return UInt64(date.timeIntervalSince1970) * 1_000_000_000 + fraction
    }
}

/// What the broker says of a record that was appended.
package struct AppendReceipt: Hashable, Sendable {
    package var sequence: UInt64
    /// It had come before, under the same id.
    package var isDuplicate: Bool
}

/// JetStream, as far as it is asked here: JSON by request and reply (NATS's ADR-1, "JetStream JSON API design").
extension BrokerConnection {
    /// - Returns: `nil` when there is no such stream.
    package func stream(_ name: String) async throws(BrokerError) -> StreamFacts? {
        do throws(BrokerError) {
            return StreamFacts(try await api("STREAM.INFO.\(name)"))
        } catch {
            guard error.code == .noStream else { throw error }
            return nil
        }
    }

    /// Makes the stream; one that exists with the same plan stays as it is.
    package func createStream(_ plan: StreamPlan) async throws(BrokerError) -> StreamFacts {
        do throws(BrokerError) {
            return StreamFacts(try await api("STREAM.CREATE.\(plan.name)", plan.configuration))
        } catch {
            // A broker that has nothing more to promise says so of a stream that is there, too.
            guard error.code == .noStorage, let facts = try await stream(plan.name) else { throw error }
            return facts
        }
    }

    /// The newest record of a subject; `nil` when there is none.
    package func newest(in stream: String, of subject: String) async throws(BrokerError) -> StreamRecord? {
        try await record(in: stream, ["last_by_subj": subject])
    }

    /// The subjects of which the stream has records, in order; none where there is no stream.
    package func subjects(of stream: String, matching filter: String) async throws(BrokerError) -> [String] {
        do throws(BrokerError) {
            let state = try await api("STREAM.INFO.\(stream)", ["subjects_filter": filter])["state"] as? [String: Any]
            return (state?["subjects"] as? [String: Any] ?? [:]).keys.sorted()
        } catch {
            guard error.code == .noStream else { throw error }
            return []
        }
    }

    /// One record by its place; `nil` when it is not kept.
    package func record(in stream: String, at sequence: UInt64) async throws(BrokerError) -> StreamRecord? {
        try await record(in: stream, ["seq": sequence])
    }

    private func record(in stream: String, _ which: [String: Any]) async throws(BrokerError) -> StreamRecord? {
        do throws(BrokerError) {
            let answer = try await api("STREAM.MSG.GET.\(stream)", which)
            guard let message = answer["message"] as? [String: Any], let sequence = message["seq"] as? NSNumber,
                let subject = message["subject"] as? String
            else { return nil }
            let storedAt = message["time"] as? String
            let data = (message["data"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
            let headers = (message["hdrs"] as? String).flatMap { Data(base64Encoded: $0) }
            return StreamRecord(
                sequence: sequence.uint64Value, subject: subject, payload: Array(data),
                storedAt: storedAt, time: storedAt.flatMap(StreamRecord.nanoseconds),
                follows: headers.flatMap { StreamRecord.expectation(in: $0) })
        } catch {
            guard error.code == .noRecord else { throw error }
            return nil
        }
    }

    /// Appends a record, and calls back once the broker has it on its disk, or says no, or the connection has ended.
    ///
    /// - Parameters:
    ///   - id: a record of the same id within the stream's window (2 min) is not appended twice.
    ///   - last: only if the stream's newest record has this number (0: is empty); the fence of a log with one writer.
    ///   - lastOfSubject: the same of the subject's newest record, in a stream that others write, too.
    ///   - patience: how long the broker may take; `nil` for as long as the connection lasts.
    package func append(
        _ payload: [UInt8], to subject: String, id: String? = nil, ifLast last: UInt64? = nil,
        ifLastOfSubject lastOfSubject: UInt64? = nil, within patience: Duration? = nil,
        _ done: @escaping @Sendable (Result<AppendReceipt, BrokerError>) -> Void
    ) {
        var headers: [(String, String)] = []
        if let id { headers.append(("Nats-Msg-Id", id)) }
        if let last { headers.append(("Nats-Expected-Last-Sequence", "\(last)")) }
        if let lastOfSubject { headers.append(("Nats-Expected-Last-Subject-Sequence", "\(lastOfSubject)")) }
        let answered: BrokerRequests.Answer = { answer in
            done(
                Result { () throws(BrokerError) in
                    let message: BrokerMessage
                    do throws(BrokerError) {
                        message = try answer.get()
                    } catch {
                        throw error.code == .nobodyHears ? BrokerError(.noStream, "no stream keeps \(subject)") : error
                    }
                    let receipt = try Self.object(message)
                    guard let sequence = receipt["seq"] as? NSNumber else {
                        throw BrokerError(.refused, "what answers \(subject) is no JetStream")
                    }
                    return AppendReceipt(
                        sequence: sequence.uint64Value, isDuplicate: receipt["duplicate"] as? Bool ?? false)
                })
        }
        if let patience {
            request(subject, payload, headers: headers, within: patience, answered)
        } else {
            _ = ask(subject, payload, headers: headers, answered)
        }
    }

    /// The same, for whoever waits.
    ///
    /// - Throws: ``BrokerError`` with code `notLast` when somebody else has appended meanwhile.
    package func append(
        _ payload: [UInt8], to subject: String, id: String? = nil, ifLast last: UInt64? = nil
    ) async throws(BrokerError) -> AppendReceipt {
        let outcome: Result<AppendReceipt, BrokerError> = await withCheckedContinuation { continuation in
            append(payload, to: subject, id: id, ifLast: last) { continuation.resume(returning: $0) }
        }
        return try outcome.get()
    }

    func api(_ call: String, _ body: [String: Any] = [:]) async throws(BrokerError) -> [String: Any] {
        let payload = body.isEmpty ? Data() : (try? JSONSerialization.data(withJSONObject: body)) ?? Data()
        let answer: BrokerMessage
        do throws(BrokerError) {
            answer = try await request("$JS.API.\(call)", Array(payload))
        } catch {
            // Whoever connects again begins with another broker of the cluster.
            if error.code == .timedOut || error.code == .nobodyHears { BrokerTrust.lose(place) }
            guard error.code == .nobodyHears else { throw error }
            throw BrokerError(
                .noJetStream, "\(place.address) keeps no streams: turn JetStream on there (roomful site init shows how)"
            )
        }
        do throws(BrokerError) {
            return try Self.object(answer)
        } catch {
            if error.code == .timedOut { BrokerTrust.lose(place) }
            throw error
        }
    }

    private static func object(_ message: BrokerMessage) throws(BrokerError) -> [String: Any] {
        guard let value = try? JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any] else {
            throw BrokerError(.refused, "the broker answered what is no JSON")
        }
        guard let error = value["error"] as? [String: Any] else { return value }
        let words = error["description"] as? String ?? "no reason given"
        let code: BrokerError.Code =
            switch error["err_code"] as? Int ?? 0 {
            case 10_047: .noStorage
            case 10_059: .noStream
            case 10_037: .noRecord
            case 10_071: .notLast
            case 10_039, 10_076: .noJetStream
            // "JetStream system temporarily unavailable": cut off from whoever leads the cluster.
            case 10_008: .timedOut
            default: .refused
            }
        let next = code == .noStorage ? "; raise max_file_store in its configuration, and start it anew" : ""
        throw BrokerError(code, "the broker says no: \(words)\(next)")
    }
}

extension StreamFacts {
    fileprivate init(_ answer: [String: Any]) {
        let state = answer["state"] as? [String: Any] ?? [:]
        func number(_ key: String) -> UInt64 { (state[key] as? NSNumber)?.uint64Value ?? 0 }
        self.init(
            created: answer["created"] as? String ?? "", first: number("first_seq"), last: number("last_seq"),
            messages: number("messages"))
    }
}
