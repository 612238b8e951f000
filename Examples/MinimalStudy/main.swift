// A study in one screen: for a minute it writes what every sensor measures, sample by sample, with two clocks' times.
// Run it with: swift run MinimalStudy > study.csv
import Foundation
import Roomful

var options = RoomOptions(name: "Study", seats: 8)
options.answersGesturesWithHaptics = false  // What is felt in the hand would change how it moves.

/// A person reads standard error; standard output is the file.
func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

print("player,stream,device_ns,host_ns,ax_g,ay_g,az_g,rx_rad_s,ry_rad_s,rz_rad_s,is_degraded")
try await withRoom(options) { room in
    say("Join with a phone: \(room.link)")
    await withDiscardingTaskGroup { group in
        group.addTask {
            try? await Task.sleep(for: .seconds(60))
            room.stop()
        }
        for await event in await room.events() {
            // A sensor's first sample came, or the first after a silence.
            guard case .sensor(let notice, let player, _) = event, notice.change == .connected else { continue }
            let stream = notice.sensor.stream
            say("P\(player) is recorded")
            group.addTask {
                guard let batches = try? await room.player(player).motions(stream: stream, .each) else { return }
                for await batch in batches {
                    for motion in batch.motions {
                        let (a, r) = (motion.userAcceleration, motion.rotationRate)
                        let times = "\(motion.sampledAt.nanoseconds),\(motion.occurredAt.nanoseconds)"
                        let axes = "\(a.x),\(a.y),\(a.z),\(r.x),\(r.y),\(r.z)"
                        print("\(player),\(stream),\(times),\(axes),\(motion.isDegraded)")
                    }
                }
            }
        }
    }
}
