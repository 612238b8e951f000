import ControllerSession
import Roomful
import WireProtocol

/// What two witnesses saw of one controller's stay.
struct FleetWitness: Sendable {
    /// One joining.
    struct Epoch: Sendable {
        /// The sender's; its numbers count from 0.
        var log: DatagramLog.SubSequence
        var delivered: [Fates.Delivery]
        /// The host knew nothing of the program before: what that says of itself counts from here.
        var isBeginning: Bool

        func entry(_ number: UInt32) -> LoggedDatagram? {
            let place = log.startIndex + Int(number)
            return place < log.endIndex ? log[place] : nil
        }
    }

    var name: String
    /// 32 hexadecimal digits.
    var controller: String
    var epochs: [Epoch]
    /// Returns that it asked for without hearing an answer.
    var unanswered: Int

    /// - Parameter fates: the relay's, by connection id.
    init(name: String, controller: String, log: DatagramLog, fates: [UInt32: Fates], unanswered: Int = 0) {
        self.name = name
        self.controller = controller
        self.unanswered = unanswered
        epochs = log.epochs.map { part in
            let connection = part.first?.connection ?? 0
            return Epoch(
                log: part, delivered: fates[connection]?.delivered ?? [],
                isBeginning: log.beginnings.contains(connection))
        }
    }
}

extension DatagramLog {
    /// The log, cut where a new link epoch begins.
    var epochs: [SubSequence] {
        var parts: [SubSequence] = []
        var start = startIndex
        while start < endIndex {
            let connection = self[start].connection
            let end = self[start...].firstIndex { $0.connection != connection } ?? endIndex
            parts.append(self[start..<end])
            start = end
        }
        return parts
    }
}
