import Foundation
import Testing

/// Programs of others that some tests need: daemons, oracles, a proxy.
enum Tools {
    /// Whether a test must fail, instead of standing aside, where its tool is missing: so in `make test`, which installs
    /// them all, and wherever `CI` is set.
    static let areDemanded: Bool = {
        let environment = ProcessInfo.processInfo.environment
        return environment["ROOMFUL_REQUIRE_AVAHI"] == "1" || !["", "0", "false"].contains(environment["CI"] ?? "")
    }()

    static func has(_ program: String) -> Bool {
        areDemanded
            || ["/usr/bin/", "/usr/sbin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + program) }
    }
}

extension Trait where Self == ConditionTrait {
    /// Stands aside where one of these Debian programs is missing, unless it is demanded.
    static func needs(_ programs: String...) -> Self {
        .enabled(
            if: programs.allSatisfy(Tools.has),
            "\(programs.joined(separator: " and ")) needed: Scripts/install-dependencies.sh --tests")
    }
}
