import Testing

@testable import RoomfulCLI

@Suite("Which file of the documentation's pages a request means")
struct SiteFileTests {
    @Test(
        "A path below the folder, however it is written",
        arguments: [
            ("/", ""), ("/documentation/", "documentation"),
            ("/documentation/roomful?language=swift", "documentation/roomful"),
            ("//js//index.js", "js/index.js"), ("/a%20b/events(after:motion:)", "a b/events(after:motion:)"),
        ])
    func inside(_ uri: String, _ path: String) { #expect(SiteFile.path(for: uri) == path) }

    @Test(
        "Nothing that leads out of the folder, is hidden, or is no path",
        arguments: [
            "", "documentation", "http://elsewhere/", "/../secret", "/a/../../secret", "/%2e%2e/secret",
            "/a/%2E%2E%2Fsecret",
            "/.git/config", "/%00", "/%ff%fe", "*",
        ])
    func outside(_ uri: String) { #expect(SiteFile.path(for: uri) == nil) }
}
