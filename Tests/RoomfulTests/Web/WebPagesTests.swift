import Foundation
import NIOCore
import NIOHTTP1
import Testing

@testable import ControlPort
@testable import Identity
@testable import RoomServer
@testable import Roomful
@testable import RoomfulCLI
@testable import WebFront

@Suite("The files that browsers are served")
struct WebPagesTests {
    private func get(_ path: String, _ pages: WebPages, tag: String? = nil, worker: Bool = false) -> WebDocument? {
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path)
        head.headers.add(name: "host", value: "127.0.0.1:1")
        if worker { head.headers.add(name: "service-worker", value: "script") }
        if let tag { head.headers.add(name: "if-none-match", value: tag) }
        guard case .whole(var document) = pages.answer(WebRequest(head, arrival: .tls)) else { return nil }
        if let file = document.file { document.body = file.read(from: 0) }
        return document
    }

    @Test("The program bears its pages, whole, with a strict policy, and says when a browser has them already")
    func bundled() throws {
        let pages = WebPages(folder: nil, game: "keepcalm")
        for path in ["/", "/operator/", "/games/keepcalm/", "/game/", "/pads/", "/roomful.js"] {
            let document = try #require(get(path, pages))
            #expect(document.status == .ok, "\(path)")
            let policy = try #require(document.headers.first(name: "content-security-policy"))
            #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
            let tag = try #require(document.headers.first(name: "etag"))
            #expect(get(path, pages, tag: tag)?.status == .notModified)
        }
        #expect(get("/operator", pages)?.status == .movedPermanently)
        #expect(get("/nothing.html", pages)?.status == .notFound)
    }

    @Test("A service worker that somebody left at this port is told to go, unless the game has one there")
    func serviceWorkers() throws {
        let house = try TestHouse()
        defer { house.remove() }
        try Data("mine".utf8).write(to: URL(fileURLWithPath: house.folder + "/worker.js"))
        try Data("<!doctype html>".utf8).write(to: URL(fileURLWithPath: house.folder + "/index.html"))
        let pages = WebPages(folder: house.folder, game: nil)
        let gone = try #require(get("/game/nothing.js", pages, worker: true))
        #expect(gone.status == .ok && gone.headers.first(name: "content-type")?.hasPrefix("text/javascript") == true)
        #expect(String(buffer: gone.body).contains("registration.unregister()"))
        #expect(get("/game/worker.js", pages, worker: true).map { String(buffer: $0.body) } == "mine")
        #expect(get("/game/nothing.js", pages)?.status == .notFound)
        // Wherever it had its script, and whatever pages it was let stand before.
        let bundled = WebPages(folder: nil, game: "keepcalm")
        for (path, pages) in [("/game/", pages), ("/game/", bundled), ("/game/main.js", bundled), ("/x/y.js", bundled)]
        {
            let gone = try #require(get(path, pages, worker: true))
            #expect(String(buffer: gone.body).contains("registration.unregister()"), "\(path)")
            #expect(gone.headers.first(name: "service-worker-allowed") == "/")
        }
    }

    @Test("A way that nobody could foresee leads to a page, past what a browser keeps")
    func fresh() throws {
        let pages = WebPages(folder: nil, game: "keepcalm")
        for (path, place) in [
            ("/fresh/0af3/operator/", "/operator/"), ("/fresh/1", "/"), ("/fresh/1//evil.com/", "/evil.com/"),
        ] {
            let document = try #require(get(path, pages))
            #expect(document.status == .seeOther && document.headers.first(name: "location") == place)
            #expect(document.headers.first(name: "clear-site-data") == "\"cache\"")
        }
        let link = try PageLink("http://127.0.0.1:8720/operator/#t=\(AccessToken.random().text)")
        #expect(try PageLink(link.fresh).fresh != link.fresh && link.fresh.hasSuffix(String(link.text.dropFirst(21))))
        let elsewhere = try PageLink("https://play.example.org/operator/")
        #expect(elsewhere.fresh == elsewhere.text)
    }

    @Test("A game's folder is read anew at each request, and nothing outside it, whatever the path or a link says")
    func folder() throws {
        let house = try TestHouse()
        defer { house.remove() }
        let (inside, outside) = (house.folder + "/game", house.folder + "/secret")
        try FileManager.default.createDirectory(atPath: inside, withIntermediateDirectories: true)
        try Data("one".utf8).write(to: URL(fileURLWithPath: inside + "/index.html"))
        try Data("no".utf8).write(to: URL(fileURLWithPath: outside))
        try Data("no".utf8).write(to: URL(fileURLWithPath: inside + "/.hidden"))
        try FileManager.default.createSymbolicLink(atPath: inside + "/link", withDestinationPath: outside)
        let pages = WebPages(folder: inside, game: nil)
        #expect(get("/game/", pages).map { String(buffer: $0.body) } == "one")
        try Data("two".utf8).write(to: URL(fileURLWithPath: inside + "/index.html"))
        #expect(get("/game/", pages).map { String(buffer: $0.body) } == "two")
        for path in [
            "/game/../secret", "/game/%2e%2e/secret", "/game/link", "/game/.hidden", "/game/a%00b", "/game/..%5csecret",
        ] {
            #expect(get(path, pages)?.status == .notFound, "\(path)")
        }
        try FileManager.default.removeItem(atPath: inside + "/index.html")
        mkfifo(inside + "/index.html", 0o600)
        #expect(get("/game/", pages)?.status == .notFound)
    }

    @Test("Where no game is played, its place says how to play one; a game or a folder that is not there is an error")
    func noGame() throws {
        let document = try #require(get("/game/", WebPages(folder: nil, game: nil)))
        #expect(document.status == .notFound && String(buffer: document.body).contains("--play"))
        #expect { try WebPages(playing: "chess", serving: nil) } throws: { "\($0)".contains("keepcalm") }
        #expect { try WebPages(playing: nil, serving: "/nowhere") } throws: { "\($0)".contains("--serve") }
    }
}
