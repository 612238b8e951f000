import ArgumentParser
import PeerDiscovery

/// The process that speaks multicast DNS for a program without avahi-daemon; started by that program, never by people.
struct ResponderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "responder",
        abstract: "Speak multicast DNS for the program that started this one.",
        shouldDisplay: false)

    func run() async throws { await DiscoverySupport.serveAsResponder() }
}
