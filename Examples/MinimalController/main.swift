// A controller in one screen: it joins "Jump!" by its name and jumps once a second. Run it with:
//     swift run MinimalController [NAME]
import Roomful

/// Face up, 100 times a second. Once a second its holder jumps: pushes off, flies, lands.
func sample(_ tick: Int, since start: DeviceTime) -> Sample {
    let force: Float =
        switch tick % 100 {
        case 40..<52: 22
        case 52..<82: 2
        case 82..<90: 22
        default: 9.81
        }
    return Sample(sampledAt: start + .milliseconds(10 * tick), acceleration: SIMD3(0, 0, force))
}

/// At the first meeting a person compares the pin with the host's screen; known rooms are not asked about again.
let trust = Trust.ask { pin, room in
    print("Is \(pin.short) the pin that the host of \"\(room.name)\" shows? [y/N]")
    return readLine() == "y"
}

var options = ControllerOptions(name: CommandLine.arguments.dropFirst().first ?? "Blue")
options.stateFolder = try StateFolder()

try await withController(options, joining: .named("Jump!"), trust: trust) { controller in
    print("I am \(controller.seat.name), player \(controller.seat.player)")
    async let _: Void = {
        for await event in controller.events {
            if case .haptic(let haptic) = event { print("bzz \(haptic.intensity)") }
            if case .ended(let ending) = event { print(ending) }
        }
    }()
    let start = Controller.deviceTimeNow()
    for tick in 0..<1_200 {
        let next = sample(tick, since: start)
        try await Task.sleep(for: max(.zero, next.sampledAt - Controller.deviceTimeNow()))
        guard controller.send(next) else { break }  // The room has closed.
    }
    _ = await controller.settle(within: .seconds(2))
}
