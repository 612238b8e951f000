import InputMerge
import WireProtocol

extension Merge {
    /// Of player 1 with this one sensor, whose clock shows the host's time, to within so much.
    init(
        _ configuration: MergeConfiguration, of key: StreamKey, _ declaration: StreamDeclaration,
        uncertaintyNanoseconds: Int64 = 0
    ) {
        self.init(configuration: configuration)
        let start = HostTime(nanoseconds: 0)
        assign(peer: key.peer, to: [1])
        connect(key, declaration: declaration, now: start)
        updateClock(
            of: key.peer,
            ClockMapping(
                state: .locked, deviceAnchor: DeviceTime(nanoseconds: 0), hostAnchor: start,
                uncertaintyNanoseconds: uncertaintyNanoseconds))
    }
}
