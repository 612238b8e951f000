package import Logging

extension Logger {
    /// One whose lines say of which room they are, where the program shows that.
    package init(_ label: String, ofRoom name: String) {
        self.init(label: label)
        self[metadataKey: "room"] = "\(name)"
    }
}
