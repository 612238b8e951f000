import Testing

@testable import Identity
@testable import Roomful

@Suite("The address that the operator gives to browsers")
struct PublicURLTests {
    @Test(
        "A name of https is taken, with and without a slash and a port",
        arguments: [
            ("https://play.example.org", "https://play.example.org/", "play.example.org"),
            ("https://play.example.org/", "https://play.example.org/", "play.example.org"),
            ("HTTPS://Play.Example.ORG:443/", "https://play.example.org/", "play.example.org"),
            ("https://play.example.org:8443", "https://play.example.org:8443/", "play.example.org:8443"),
            ("https://192.0.2.7", "https://192.0.2.7/", "192.0.2.7"),
            ("https://[2001:db8::5]", "https://[2001:db8::5]/", "[2001:db8::5]"),
            ("https://[2001:db8::5]:444/", "https://[2001:db8::5]:444/", "[2001:db8::5]:444"),
        ])
    func good(text: String, description: String, authority: String) throws {
        let url = try PublicURL(text)
        #expect(url.description == description)
        #expect(url.authority == authority)
        #expect(url.origin + "/" == description)
    }

    @Test(
        "Anything else is refused with what to write instead",
        arguments: [
            ("http://play.example.org", "must begin with https://"), ("play.example.org", "must begin with https://"),
            ("", "must begin with https://"), ("https://play.example.org/room", "at the root"),
            ("https://play.example.org/?a", "at the root"), ("https://play.example.org/#a", "at the root"),
            ("https://me:secret@play.example.org", "at the root"), ("https://", "no name or address"),
            ("https://a b", "no name or address"), ("https://x:0", "no name or address"),
            ("https://x:70000", "no name or address"), ("https://[fe80::1%2]", "no name or address"),
            ("https://\u{1B}[31m", "no name or address"),
        ])
    func refused(text: String, reason: String) {
        let error = failure(IdentityError.self) { try PublicURL(text) }
        #expect(error?.code == .malformedURL)
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "it was taken")")
        #expect(error?.description.contains("such as --url https://play.example.org") == true)
        #expect(error?.description.contains("\u{1B}") == false)
    }

    @Test("A link leads a browser to that address, and a native controller to the room's own")
    func links() throws {
        let ticket = try TicketTests.ticket(["192.168.1.5:7777", "[2001:db8::5]:7777"])
        let place = try PublicURL("https://play.example.org")
        let url = ticket.url(at: place)
        #expect(url.hasPrefix("https://play.example.org/#v=1&"))
        #expect(try Ticket(url) == ticket)
        // A QR code has no room for addresses: there the name is all there is.
        let link = ticket.link(at: place)
        #expect(link.hasPrefix("https://play.example.org/#v=1&"))
        #expect(try Ticket(link).addresses.map(\.description) == ["play.example.org:443"])
        #expect(try Ticket(link).code == ticket.code)
        #expect(ticket.link(at: nil).hasPrefix("https://192.168.1.5:7777/#v=1&"))
        #expect(try Ticket(ticket.link(at: nil)).addresses.map(\.description) == ["192.168.1.5:7777"])
        #expect(ticket.link(at: nil).utf8.count < 160)
    }
}
