import Datagrams
import Foundation

/// Which version of the program this is (semantic versioning 2.0.0); `Scripts/dist.sh` names its packages by it.
enum ProgramVersion {
    static let text = "0.9.0"

    /// As recordings bear it: with the build, since rules of recognition may change between two of one version.
    static let ofRecordings: String = {
        let build = ThisProcess.build.prefix(6).map { String(format: "%02x", $0) }.joined()
        return "roomful \(text)" + (build.isEmpty ? "" : " (build \(build))")
    }()
}
