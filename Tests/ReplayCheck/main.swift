// Plays one evening, made from a seed, through the merge, and prints all that comes of it, every number to its last bit:
// `ReplayCheck SEED`. The first line is what the process's own hash seed makes of a set; nothing else may depend on that.
import Glibc  // Else nothing links the C library's square root.
import InputMerge
import WireProtocol

let seed = CommandLine.arguments.dropFirst().first.flatMap { UInt64($0) } ?? 1
print("hashes:", Set(1...12).map(\.description).joined(separator: " "))
var evening = Evening(seed: seed)
evening.play()
