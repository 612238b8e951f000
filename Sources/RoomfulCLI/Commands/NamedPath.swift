import ArgumentParser

extension String {
    /// As an option or an argument takes it that names a file or a folder. An empty word, as a variable leaves it that
    /// nobody has set, would be the folder that one is in, or the usual one.
    static func ofPath(_ text: String) throws -> String {
        guard !text.isEmpty else { throw ValidationError("it names nothing; the folder that you are in is ./") }
        return text
    }
}
