import Testing

@testable import PeerDiscovery

@Suite("Which program serves as the responder's process")
struct ResponderProgramTests {
    private func found(
        own: String? = "/opt/game/bin/game", _ environment: [String: String] = [:], there: Set<String>
    ) -> String? {
        ResponderProgram.find(environment: { environment[$0] }, own: own, isExecutable: there.contains)?.path
    }

    @Test("roomful is its own, even if another was put in its place meanwhile")
    func itself() {
        #expect(found(own: "/usr/bin/roomful", there: []) == "/proc/self/exe")
    }

    @Test("A game takes the roomful beside it before one in PATH")
    func besideOrInPath() {
        let path = ["PATH": "relative::.:/usr/local/bin:/usr/bin"]
        let all: Set = ["/opt/game/bin/roomful", "/usr/bin/roomful", "relative/roomful", "./roomful", "/roomful"]
        #expect(found(path, there: all) == "/opt/game/bin/roomful")
        #expect(found(path, there: all.subtracting(["/opt/game/bin/roomful"])) == "/usr/bin/roomful")
        #expect(found(path, there: ["relative/roomful", "./roomful", "/roomful"]) == nil)
        #expect(found(there: []) == nil)
        #expect(found(own: nil, path, there: all) == "/usr/bin/roomful")
    }

    @Test("What ROOMFUL_RESPONDER names is taken, or nothing")
    func named() {
        let all: Set = ["/opt/game/bin/roomful", "/elsewhere/responder"]
        #expect(found(["ROOMFUL_RESPONDER": "/elsewhere/responder"], there: all) == "/elsewhere/responder")
        #expect(found(own: "/usr/bin/roomful", ["ROOMFUL_RESPONDER": "/nowhere"], there: all) == nil)
        #expect(found(["ROOMFUL_RESPONDER": ""], there: all) == "/opt/game/bin/roomful")
    }
}
