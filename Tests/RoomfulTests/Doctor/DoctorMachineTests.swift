import Testing

@testable import RoomDoctor
@testable import Roomful

@Suite("The doctor's rules: the machine itself")
struct DoctorMachineTests {
    @Test("A clock that nobody keeps right is a note, one of another century a problem")
    func clock() {
        #expect(DoctorFacts.healthyBut { $0.machine.isSynchronised = false }.check("clock").outcome == .note)
        #expect(DoctorFacts.healthyBut { $0.machine.isSynchronised = nil }.check("clock").outcome == .ok)
        #expect(DoctorFacts.healthyBut { $0.machine.year = 1_970 }.check("clock").outcome == .problem)
    }

    @Test("A receive buffer is judged by how long the wanted seats take to fill it: 100 ms are enough")
    func buffer() {
        let small = DoctorFacts.healthyBut { $0.machine.bufferGranted = 208 << 10 }
        #expect(small.check("receive-buffer").outcome == .ok)
        #expect(small.check("receive-buffer").found.hasPrefix("208 KiB of 4 MiB wanted (net.core.rmem_max is 4 MiB)"))
        let many = DoctorFacts.healthyBut {
            $0.machine.bufferGranted = 208 << 10
            $0.machine.seats = 1_000
        }
        #expect(many.check("receive-buffer").outcome == .warning)
        #expect(many.check("receive-buffer").advice?.contains("net.core.rmem_max=4194304") == true)
    }

    @Test("Descriptors must suffice for the wanted seats and 128 more")
    func descriptors() {
        func outcome(_ limit: Int, seats: Int) -> DoctorCheck.Outcome {
            DoctorFacts.healthyBut {
                $0.machine.descriptors = limit
                $0.machine.seats = seats
            }.check("descriptors").outcome
        }
        #expect(outcome(149, seats: 21) == .ok && outcome(148, seats: 21) == .problem)
    }

    @Test("Optional libraries are notes that say what their absence costs")
    func libraries() {
        let facts = DoctorFacts.healthyBut {
            $0.machine.hasSodium = false
            $0.coreProblem = "libavahi-core is missing"
        }
        #expect(facts.check("libsodium").outcome == .note && facts.check("libavahi-core").outcome == .note)
        #expect(facts.check("libsodium").found.contains("6 times"))
        #expect(DoctorReport(facts).ok)
    }

    @Test("A state folder that cannot be used, or has no space left, is a problem")
    func state() {
        let broken = DoctorFacts.healthyBut { $0.machine.state = .unusable("/x belongs to somebody else") }
        #expect(broken.check("state-folder").outcome == .problem)
        let full = DoctorFacts.healthyBut { $0.machine.state = .usable(path: "/x", freeBytes: 512 << 10) }
        #expect(full.check("state-folder").found == "/x has 512 KiB left: seats could not be kept.")
    }
}
