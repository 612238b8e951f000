import NIOCore
import NIOHTTP1

/// The room's pages have no service worker. Whoever had this port before, another user's program or a page under
/// development, may have left one in a browser, and it would stand between the browser and the room for good: each new link
/// would be shown to it. A browser asks for a worker's script anew when its pages are opened (Service Workers, 9.1), and is
/// given one that takes its own leave.
extension WebAnswer {
    /// A script that ends the worker in whose place it stands, and loads its pages from here.
    static let endingServiceWorker: WebAnswer = {
        let script = """
            self.addEventListener("install", () => self.skipWaiting());
            self.addEventListener("activate", event => event.waitUntil((async () => {
                await self.registration.unregister();
                for (const page of await self.clients.matchAll({ type: "window" })) await page.navigate(page.url);
            })()));

            """
        var document = WebDocument(type: "text/javascript; charset=utf-8", body: ByteBuffer(string: script))
        document.headers.add(name: "cache-control", value: "no-store")
        // Wherever the one before had its script, it may have been let stand before all pages.
        document.headers.add(name: "service-worker-allowed", value: "/")
        return .whole(document)
    }()

    /// The same in place of what is no script of a game's own.
    var orEndingServiceWorker: WebAnswer {
        guard case .whole(let document) = self, document.status == .ok || document.status == .notModified,
            document.headers.first(name: "content-type")?.hasPrefix("text/javascript") == true
        else { return Self.endingServiceWorker }
        return self
    }
}

extension WebRequest {
    /// Whether a browser wants it as a service worker's script.
    var isForServiceWorker: Bool { headers.first(name: "service-worker") == "script" }
    /// Whether it asks for a file of the game's own, which may have a service worker.
    var isForGame: Bool { path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().first == "game" }
}
