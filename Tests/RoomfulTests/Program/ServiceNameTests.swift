import RoomServer
import Testing

@testable import RoomfulCLI

@Suite("The program's services")
struct ServiceNameTests {
    /// A group of services describes each as it is begun, and says so in its log when one fails.
    @Test("A room says its name to its group, and not all that it was opened with")
    func roomSaysItsName() {
        let service = HostService(
            options: RoomOptions(name: "Lab"), codeFile: nil, json: false, qr: nil, isVerbose: false)
        #expect("\(service)" == "room Lab")
    }
}
