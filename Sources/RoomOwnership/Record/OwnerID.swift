/// A host, and which run of its program: whoever comes back after a crash is another owner.
package struct OwnerID: Hashable, Sendable {
    /// 64 random bits that the machine made once and keeps. A copied machine that keeps them, too, breaks every promise here.
    package var host: UInt64
    /// 64 random bits of this run of the program.
    package var life: UInt64

    package init(host: UInt64, life: UInt64) { (self.host, self.life) = (host, life) }
}

/// Which tenure of a room this is: 1 is its first, and each claim that the log takes begins the next.
package typealias OwnershipEpoch = UInt64
