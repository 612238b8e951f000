import Dispatch
import NIOCore
import Testing
import WireProtocol

@testable import ControlPort
@testable import Datagrams
@testable import RoomServer
@testable import Roomful

@Suite("Mailbox")
struct MailboxTests {
    @Test("A full mailbox refuses what comes next, and counts it; emptied, it takes letters again")
    func bound() throws {
        let mailbox = Mailbox<Int>(capacity: 3, bell: try Doorbell())
        #expect((1...5).map { mailbox.post($0) } == [true, true, true, false, false])
        #expect(mailbox.refused == 2)
        var letters: [Int] = []
        mailbox.drain(into: &letters)
        #expect(letters == [1, 2, 3])
        #expect(mailbox.post(6))
        mailbox.drain(into: &letters)
        #expect(letters == [6])
        mailbox.drain(into: &letters)
        #expect(letters == [])
    }

    @Test("A flood of bulk keeps nothing else out, what is vital is never refused, and all keep their order")
    func sorts() throws {
        let mailbox = Mailbox<Int>(capacity: 2, bell: try Doorbell())
        #expect((1...4).map { mailbox.post($0, as: .bulk) } == [true, true, false, false])
        #expect((5...8).map { mailbox.post($0) } == [true, true, false, false])
        #expect((9...14).allSatisfy { mailbox.post($0, as: .vital) })
        var letters: [Int] = []
        mailbox.drain(into: &letters)
        #expect(letters == [1, 2, 5, 6] + (9...14) && mailbox.refused == 4)
        #expect(mailbox.post(15, as: .bulk) && mailbox.post(16))
    }

    @Test(
        "Of what reaches the room's thread, guests' datagrams are bulk, and ends of connections and of the room vital")
    func lettersOfTheRoom() {
        let conversation = ConversationID(rawValue: 1)
        #expect(LoopInput.control(.datagram(ByteBuffer(), conversation, arrivedAt: HostClock.now())).sort == .bulk)
        #expect(
            LoopInput.close(backIn: nil).sort == .vital
                && LoopInput.control(.input(.disconnected(conversation))).sort == .vital)
        #expect(LoopInput.control(.input(.advance)).sort == .ordinary)
    }

    @Test("A letter wakes whoever waits for datagrams, once for as many as were posted")
    func wakes() throws {
        let bell = try Doorbell()
        let mailbox = Mailbox<Int>(capacity: 8, bell: bell)
        let socket = try DatagramSocket()
        #expect(socket.wait(orFor: bell, atMost: .zero) == [])
        mailbox.post(1)
        mailbox.post(2)
        #expect(socket.wait(orFor: bell) == .bell)
        #expect(socket.wait(orFor: bell, atMost: .zero) == [])
        var letters: [Int] = []
        mailbox.drain(into: &letters)
        mailbox.post(3)
        #expect(socket.wait(orFor: bell) == .bell)
        mailbox.drain(into: &letters)
        #expect(letters == [3])
    }

    @Test("With many posting at once no letter is lost, none comes twice, and each sender's order is kept")
    func manySenders() throws {
        let bell = try Doorbell()
        let socket = try DatagramSocket()
        let (senders, each) = (4, 2_000)
        let mailbox = Mailbox<(sender: Int, number: Int)>(capacity: senders * each, bell: bell)
        let posting = DispatchGroup()
        for sender in 0..<senders {
            DispatchQueue.global().async(group: posting) {
                for number in 0..<each { mailbox.post((sender, number)) }
            }
        }
        var received = [[Int]](repeating: [], count: senders)
        var letters: [(sender: Int, number: Int)] = []
        while received.map(\.count).reduce(0, +) < senders * each {
            #expect(socket.wait(orFor: bell, atMost: .seconds(10)) == .bell)
            mailbox.drain(into: &letters)
            for letter in letters { received[letter.sender].append(letter.number) }
        }
        posting.wait()
        #expect(received == Array(repeating: Array(0..<each), count: senders))
        #expect(mailbox.refused == 0)
    }
}
