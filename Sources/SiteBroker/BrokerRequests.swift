import Dispatch
import Foundation
import SiteRecords
import Synchronization

/// Who waits for an answer of the broker, or of somebody behind it, by the token that the answer comes under.
final class BrokerRequests: Sendable {
    typealias Answer = @Sendable (Result<BrokerMessage, BrokerError>) -> Void

    private struct State {
        var next = 0
        var waiting: [String: Answer] = [:]
        var hasEnded = false
    }
    private let state = Mutex(State())

    /// - Returns: a token; `nil` when the connection has ended.
    func add(_ answer: @escaping Answer) -> String? {
        state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.next += 1
            let token = String(state.next, radix: 36)
            state.waiting[token] = answer
            return token
        }
    }

    func answer(_ message: BrokerMessage) {
        guard let token = message.subject.split(separator: ".").last, let answer = take(String(token)) else { return }
        if message.status == 503 {
            answer(.failure(BrokerError(.nobodyHears, "nobody answers there")))
        } else {
            answer(.success(message))
        }
    }

    func expire(_ token: String, _ error: BrokerError) { take(token)?(.failure(error)) }

    private func take(_ token: String) -> Answer? { state.withLock { $0.waiting.removeValue(forKey: token) } }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    func end() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            defer { state.waiting = [:] }
            return state.waiting
        }
        for answer in waiting.values {
            answer(.failure(BrokerError(.closed, "the connection to the broker has ended")))
        }
    }
}

extension BrokerConnection {
    /// Whether the connection has ended, by whose will ever.
    package var hasEnded: Bool { requests.hasEnded }

    /// Asks, and is answered once: by whoever hears the subject, or that the connection has ended.
    func ask(
        _ subject: String, _ payload: [UInt8], headers: [(String, String)] = [],
        _ answer: @escaping BrokerRequests.Answer
    ) -> String? {
        guard let token = requests.add(answer) else {
            answer(.failure(BrokerError(.closed, "the connection to the broker has ended")))
            return nil
        }
        do {
            try publish(payload, to: subject, reply: "\(inbox).\(token)", headers: headers)
            return token
        } catch {
            requests.expire(token, error)
            return nil
        }
    }

    /// Asks, and waits for one answer.
    ///
    /// - Throws: ``BrokerError``: `nobodyHears`, `timedOut`, `notAllowed` or `closed`.
    package func request(
        _ subject: String, _ payload: [UInt8] = [], headers: [(String, String)] = [],
        within patience: Duration = patience
    ) async throws(BrokerError) -> BrokerMessage {
        let outcome: Result<BrokerMessage, BrokerError> = await withCheckedContinuation { continuation in
            request(subject, payload, headers: headers, within: patience) { continuation.resume(returning: $0) }
        }
        return try outcome.get()
    }

    /// Asks, and calls back once: on a thread of the library's with the answer, or with why there is none.
    package func request(
        _ subject: String, _ payload: [UInt8], headers: [(String, String)] = [], within patience: Duration,
        _ answer: @escaping @Sendable (Result<BrokerMessage, BrokerError>) -> Void
    ) {
        guard let token = ask(subject, payload, headers: headers, answer) else { return }
        let (queue, now) = (DispatchQueue.global(), DispatchTime.now())
        // A broker says no at once, and an answer may take as long as people do.
        queue.asyncAfter(deadline: now + .seconds(1)) { [weak self] in
            guard let self, let error = self.refusal(of: subject) else { return }
            requests.expire(token, error)
        }
        queue.asyncAfter(deadline: now + .milliseconds(Int(patience / .milliseconds(1)))) { [weak self] in
            guard let self else { return }
            requests.expire(token, silence(of: subject))
        }
    }

    /// That the broker has refused this very question, if it has.
    private func refusal(of subject: String) -> BrokerError? {
        refusal { words in words.split { "\"'".contains($0) }.contains { $0 == subject.lowercased() } }
    }

    /// Why nothing was answered.
    private func silence(of subject: String) -> BrokerError {
        // What was refused may be another question: the words name what was asked, or that answers may not be heard.
        refusal { $0.contains(subject.lowercased()) || $0.contains("subscription") }
            ?? BrokerError(.timedOut, "\(place.address) did not answer in time")
    }

    /// The broker drops what a user may not say, and tells of it beside.
    private func refusal(_ isMeant: (String) -> Bool) -> BrokerError? {
        guard let words = lastWords?.lowercased(), words.contains("permissions violation"), isMeant(words) else {
            return nil
        }
        return BrokerError(
            .notAllowed, "this user may not do that at \(place.address): take the credentials of a role that may")
    }
}
