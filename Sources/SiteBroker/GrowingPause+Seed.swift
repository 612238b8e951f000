package import SiteRecords

extension GrowingPause {
    /// Unlike anybody else's.
    package init() { self.init(seed: .random(in: 1 ... .max)) }
}
