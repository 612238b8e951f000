// The whole core at once: a host, three real controllers, and a script of everything that can happen to them.

import ControllerSession
import RoomSimulation
import SessionCoordinator
import WireProtocol

/// Called by libFuzzer with bytes of its choice, read as a script; a trap or a broken promise is a finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzScript(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var script = ScriptReader(UnsafeRawBufferPointer(start: start, count: count))
    var world = ScriptWorld(&script)
    var deeds = 0
    while !script.isAtEnd, world.momentsLeft > 0, deeds < 400 {
        world.act(&script)
        deeds += 1
        if deeds % 16 == 0 { world.audit() }
    }
    world.audit()
    world.heal()
    world.audit()
    return 0
}

extension ScriptWorld {
    /// The books equal the truth, to the last number.
    func audit() {
        let wrong = Books.differences(host, truth)
        precondition(wrong.isEmpty, wrong.joined(separator: "; "))
    }

    /// The network is mended, and everyone has time: whoever sits has brought everything then.
    mutating func heal() {
        for place in pads.indices {
            pads[place].flows = true
            pads[place].nextSampleAt = nil
        }
        // A controller that has known silences that healed waits up to 8 s before it comes back.
        momentsLeft = 7_000
        pass(.seconds(18)) { world in
            for place in world.pads.indices where world.pads[place].link.needsRejoin {
                let tried = world.pads[place].triedAt
                if tried.map({ world.now - $0 >= .milliseconds(500) }) ?? true {
                    world.join(place, secret: world.pads[place].seated?.secret)
                }
            }
        }
        guard momentsLeft > 0 else { return }
        for place in pads.indices { checkDelivery(place) }
    }

    private func checkDelivery(_ place: Int) {
        let pad = pads[place]
        // Who sends more than was declared, or shares its identity with another device, is promised less.
        guard pad.link.state == .live, let connection = pad.keys?.connection,
            let report = host.coordinator.reports(now: now).first(where: { $0.connection == connection }),
            report.seatState == .active, report.datagrams.rateLimited == 0,
            pads.count(where: { $0.guest.number == pad.guest.number }) == 1
        else { return }
        precondition(report.samples.missing <= pad.lostAtMost, "samples are missing on a good network")
        precondition(pad.link.report.streams[0].unacknowledged == 0, "a controller still holds what the host has")
        precondition(pad.link.report.streams[0].isBalanced, "the controller's own law is broken")
        precondition(pad.link.report.waitingMessages == 0 && report.messagesWaiting == 0, "messages still wait")
        precondition(report.isPathValidated, "an address is not proven after seconds of talk")
    }
}
