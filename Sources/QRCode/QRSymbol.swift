/// A QR code: the square picture by which a phone's camera reads a room's address.
///
/// ISO/IEC 18004:2015, byte mode, versions 1 to 20: at most 858 bytes. Error correction is M, which reads with 15 % of
/// the codewords destroyed, and L (7 %) for what is too long for M. Sections named in this module are that standard's.
///
/// ```swift
/// let code = try QRSymbol("https://192.168.1.5:7777/#…")
/// print(code.terminalText())
/// ```
public struct QRSymbol: Hashable, Sendable {
    /// How much of the picture may be destroyed.
    public enum Correction: Sendable, CaseIterable {
        /// 7 % of the codewords.
        case low
        /// 15 %.
        case medium
    }

    /// 1 to 20.
    public let version: Int
    public let correction: Correction
    /// Which of the eight patterns was laid over the data (7.8.2).
    public let mask: Int
    /// Modules on a side: 21 to 97, without the quiet zone.
    public let size: Int
    let modules: Modules

    /// The smallest code for `text`, in UTF-8.
    ///
    /// - Throws: ``TooLong`` beyond 858 bytes.
    public init(_ text: String) throws(TooLong) { try self.init(Array(text.utf8)) }

    /// The smallest code for these bytes: with M if that is enough, else with L.
    public init(_ bytes: [UInt8]) throws(TooLong) {
        for correction in [Correction.medium, .low] {
            for version in Layout.versions {
                let layout = Layout(version: version, correction: correction)
                guard bytes.count <= layout.mostBytes else { continue }
                self.init(bytes, layout, mask: nil)
                return
            }
        }
        throw TooLong(bytes: bytes.count, most: Layout(version: Layout.versions.upperBound, correction: .low).mostBytes)
    }

    /// More bytes than the largest code holds.
    public struct TooLong: Error, Hashable, Sendable, CustomStringConvertible {
        public let bytes: Int
        public let most: Int
        public var description: String { "\(bytes) bytes are too many for a QR code: \(most) are the most" }
    }

    /// Whether a module is dark; those around the code are light. x counts to the right, y down.
    public func isDark(_ x: Int, _ y: Int) -> Bool {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return false }
        return modules[x, y]
    }

    /// - Parameter mask: `nil` chooses the one with the least penalty (7.8.3).
    init(_ bytes: [UInt8], _ layout: Layout, mask wanted: Int?) {
        var modules = Modules(size: layout.size)
        modules.drawFunctionPatterns(layout)
        modules.drawCodewords(layout.interleaved(layout.dataCodewords(bytes)))

        func masked(_ mask: Int) -> Modules {
            var masked = modules
            masked.apply(mask: mask)
            masked.drawFormat(layout.correction, mask: mask)
            return masked
        }
        var best = masked(wanted ?? 0)
        var chosen = wanted ?? 0
        if wanted == nil {
            var least = best.penalty
            for mask in 1..<8 {
                let candidate = masked(mask)
                let penalty = candidate.penalty
                if penalty < least { (best, chosen, least) = (candidate, mask, penalty) }
            }
        }
        version = layout.version
        correction = layout.correction
        size = layout.size
        self.mask = chosen
        self.modules = best
    }
}
