/// `1 problem`, `3 problems`; with `many`, `1 entry`, `3 entries`.
package func plural(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
}
