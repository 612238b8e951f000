import WireProtocol

/// A code as a picture that any size may be made of.
extension QRSymbol {
    /// Modules on a side with the quiet zone of four on each.
    public var sizeWithQuietZone: Int { size + 8 }

    /// A whole SVG document: black on white, one unit a module, without script or style.
    ///
    /// - Parameter label: what a screen reader says.
    public func svg(label: String = "QR code") -> String {
        let side = sizeWithQuietZone
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" role="img" \
            aria-label="\(escapedForXML(label))" shape-rendering="crispEdges">\
            <rect width="\(side)" height="\(side)" fill="#fff"/><path fill="#000" d="\(svgPath(x: 4, y: 4))"/></svg>
            """
    }

    /// The dark modules as path data, one unit a module, the code's own corner at `x`, `y`.
    public func svgPath(x: Int = 0, y: Int = 0) -> String {
        var path = ""
        for row in 0..<size {
            var column = 0
            while column < size {
                var end = column
                while isDark(end, row) { end += 1 }
                if end > column { path += "M\(x + column) \(y + row)h\(end - column)v1h-\(end - column)z" }
                column = end + 1
            }
        }
        return path
    }
}
