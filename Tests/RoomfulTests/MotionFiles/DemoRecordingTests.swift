import Foundation
import InputMerge
import MotionFiles
import Roomful
import Testing
import WireProtocol

@Suite("What the demo shows")
struct DemoRecordingTests {
    @Test(
        "Each of the demo's recordings is about 17 s long and gives its gesture several times",
        arguments: [("drop", GestureKind.freeFall, 5), ("tilt", .tilt, 14), ("toss", .freeFall, 8)])
    func gestures(file: String, gesture: GestureKind, times: Int) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Recordings/demo")
        let recording = try RecordingReader().read(path: folder.appending(path: "\(file).csv").path)
        #expect((Duration.seconds(15)...Duration.seconds(20)).contains(recording.duration))

        var merge = Merge()
        let key = StreamKey(peer: 0, stream: 0)
        merge.assign(peer: 0, to: [1])
        merge.connect(key, declaration: recording.declaration, now: HostTime(nanoseconds: 0))
        var began = 0
        for (index, sample) in zip(UInt32(0)..., recording.samples) {
            let now = HostTime(nanoseconds: sample.sampledAt.nanoseconds)
            _ = merge.accept(sample, index: index, of: key, arrivedAt: now)
            for case .gesture(let event) in merge.advance(to: now)
            where event.gesture == gesture && event.phase == .began {
                began += 1
            }
        }
        #expect(began == times)
    }
}
