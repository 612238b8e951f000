/// The system's error numbers (errno, Linux on all architectures), named for what they tell the doctor.
enum Errno {
    static let notPermitted: Int32 = 1
    static let accessDenied: Int32 = 13
    static let addressInUse: Int32 = 98

    /// In words.
    static func text(_ number: Int32) -> String {
        switch number {
        case notPermitted, accessDenied: "it is not permitted"
        case 19: "there is no such interface"
        case 99: "the interface has no address"
        case 100: "the network is down"
        case 101: "the network cannot be reached"
        case 105: "the system has no room for it"
        default: "error \(number)"
        }
    }
}
