import CPages
import Foundation
import Identity
import NIOCore
import NIOHTTP1
import PrivateFiles

/// The files that browsers are served: those in the program, and a game's own folder.
package struct WebPages: Sendable {
    /// Read anew at each request, at `/game/`; `nil` where nothing of one's own is served.
    package let folder: String?
    /// The bundled game that stands at `/game/`.
    package let game: String?
    private let site: Site
    /// While pages are being written: read from this folder, not from the program (`ROOMFUL_PAGES`).
    private let workbench = ProcessInfo.processInfo.environment["ROOMFUL_PAGES"]

    /// Whose pages they are.
    package enum Site {
        case room
        /// `roomful doctor --phone`: its own page, the common styles and the languages, nothing else.
        case doctor

        var start: String { self == .room ? "phone" : "doctor" }

        func serves(_ folder: String) -> Bool {
            self == .room ? folder != "doctor" : ["doctor", "common", "language"].contains(folder)
        }
    }

    package init(folder: String?, game: String?, site: Site = .room) {
        self.folder = folder
        self.game = game
        self.site = site
    }

    /// A file in the program.
    private struct Page: @unchecked Sendable {
        /// Constant data of the program: nobody writes to it, and it is never freed.
        let bytes: UnsafeBufferPointer<UInt8>
        let tag: String
    }

    private static let bundled: [String: Page] = {
        Dictionary(
            uniqueKeysWithValues: (0..<roomful_page_count).map { place in
                let page = roomful_pages[place]
                let bytes = UnsafeBufferPointer(start: page.bytes, count: page.count)
                return (String(cString: page.path), Page(bytes: bytes, tag: entityTag(bytes)))
            })
    }()

    /// The names of the bundled games.
    static var games: [String] {
        bundled.keys.compactMap { path in
            let parts = path.split(separator: "/")
            return parts.count == 3 && parts[0] == "games" && parts[2] == "index.html" ? String(parts[1]) : nil
        }.sorted()
    }

    /// The pages' languages, by the two letters that name their files.
    private var languages: Set<String> {
        let names = workbench.map { (try? FileManager.default.contentsOfDirectory(atPath: $0 + "/language")) ?? [] }
        guard let names else { return Self.bundledLanguages }
        return Set(names.filter { $0.hasSuffix(".js") }.map { String($0.dropLast(3)) })
    }

    /// Those whose sentences are in the program.
    static let bundledLanguages = Set(
        bundled.keys.filter { $0.hasPrefix("language/") && $0.hasSuffix(".js") }.map {
            String($0.dropFirst(9).dropLast(3))
        })

    /// The bytes of a file in the program.
    static func bundled(at path: String) -> UnsafeBufferPointer<UInt8>? { bundled[path]?.bytes }

    /// Whether ``answer(_:)`` may have to wait for the disk.
    func mayWait(for request: WebRequest) -> Bool {
        workbench != nil || folder != nil && request.path.split(separator: "/").first == "game"
    }

    /// The file at a path, or where it is to be looked for, or that there is none: to people as a page, to programs as JSON.
    package func answer(_ request: WebRequest) -> WebAnswer {
        // The bundled games have no service worker.
        if request.isForServiceWorker, folder == nil { return .endingServiceWorker }
        let answer = find(request)
        if request.isForServiceWorker { return answer.orEndingServiceWorker }
        guard site == .room, case .whole(let document) = answer, document.status == .notFound,
            request.method == .GET || request.method == .HEAD,
            request.headers["accept"].contains(where: { $0.contains("text/html") })
        else { return answer }
        let path = "missing/index.html"
        guard let page = Self.bundled[path] else { return answer }
        return .whole(
            Self.document(
                ByteBuffer(bytes: page.bytes), path, request, tag: page.tag, status: .notFound, policy: .page))
    }

    private func find(_ request: WebRequest) -> WebAnswer {
        guard request.method == .GET || request.method == .HEAD else {
            return .refusal(.methodNotAllowed, "wrongMethod", "Pages are read with GET.")
        }
        var parts = request.path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        guard !parts.contains(where: { $0.hasPrefix(".") || $0.contains("\0") || $0.contains("\\") }) else {
            return Self.notFound
        }
        if parts.first == "fresh" { return Self.fresh(parts.dropFirst(2)) }
        let namesFolder = request.path.hasSuffix("/")
        if parts.first == "game" {
            guard folder != nil || game != nil else { return Self.noGame }
            if parts.count == 1, !namesFolder { return Self.moved(to: "/game/", request) }
            if let folder { return fromDisk(folder, Array(parts.dropFirst()), request, policy: .game) }
            parts = ["games", game ?? ""] + parts.dropFirst()
        }
        if parts.isEmpty { parts = [site.start, "index.html"] } else if namesFolder { parts.append("index.html") }
        guard site.serves(parts[0]) else { return Self.notFound }
        if parts == ["language", "reader.js"] {
            let wanted = request.headers["accept-language"].joined(separator: ",")
            parts[1] = ReaderLanguage.best(of: languages, wanted: wanted) + ".js"
        }
        if let workbench { return fromDisk(workbench, parts, request, policy: .page) }
        let path = parts.joined(separator: "/")
        guard let page = Self.bundled[path] else {
            return Self.bundled[path + "/index.html"] == nil ? Self.notFound : Self.moved(to: "/\(path)/", request)
        }
        if request.headers.first(name: "if-none-match") == page.tag {
            return .whole(
                Self.document(ByteBuffer(), path, request, tag: page.tag, status: .notModified, policy: .page))
        }
        return .whole(Self.document(ByteBuffer(bytes: page.bytes), path, request, tag: page.tag, policy: .page))
    }

    private func fromDisk(_ root: String, _ parts: [String], _ request: WebRequest, policy: ContentPolicy) -> WebAnswer
    {
        var path = ([root] + parts).joined(separator: "/")
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            guard request.path.hasSuffix("/") else {
                // Not the path as it came: two slashes at its beginning would lead to another host.
                let place = request.path.split(separator: "/").joined(separator: "/")
                return Self.moved(to: "/\(place)/", request)
            }
            path += "/index.html"
        }
        guard let file = WebFile(path, below: root) else { return Self.notFound }
        if request.headers.first(name: "if-none-match") == file.tag {
            return .whole(
                Self.document(ByteBuffer(), path, request, tag: file.tag, status: .notModified, policy: policy))
        }
        var document = Self.document(ByteBuffer(), path, request, tag: file.tag, policy: policy)
        document.file = file
        return .whole(document)
    }

    private static func document(
        _ body: ByteBuffer, _ path: String, _ request: WebRequest, tag: String, status: HTTPResponseStatus = .ok,
        policy: ContentPolicy
    ) -> WebDocument {
        var document = WebDocument(status: status, type: mediaType(of: path), body: body)
        document.headers.add(name: "etag", value: tag)
        document.headers.add(name: "cache-control", value: "no-cache")
        if request.path == "/language/reader.js" { document.headers.add(name: "vary", value: "accept-language") }
        document.headers.add(contentsOf: policy.headers(host: request.host ?? ""))
        return document
    }

    private static func mediaType(of path: String) -> String {
        switch path.split(separator: ".").last?.lowercased() {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "json": "application/json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        case "gif": "image/gif"
        case "ico": "image/x-icon"
        case "wav": "audio/wav"
        case "mp3": "audio/mpeg"
        case "ogg": "audio/ogg"
        case "wasm": "application/wasm"
        case "webmanifest": "application/manifest+json"
        case "woff2": "font/woff2"
        case "txt", "md": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }

    private static func moved(to path: String, _ request: WebRequest) -> WebAnswer {
        var document = WebDocument(status: .movedPermanently)
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        document.headers.add(
            name: "location", value: parts.map { percentEncoded(String($0)) }.joined(separator: "/") + request.queryText
        )
        return .whole(document)
    }

    /// `/fresh/ANYTHING/operator/` leads to `/operator/`, past whatever a browser keeps of these pages: another user's program that
    /// had this port before may have told it to keep its own for a year, under any address that it could foresee.
    private static func fresh(_ parts: ArraySlice<String>) -> WebAnswer {
        var document = WebDocument(status: .seeOther)
        let place = parts.map { percentEncoded($0) + "/" }.joined()
        document.headers.add(name: "location", value: "/" + place)
        document.headers.add(name: "clear-site-data", value: "\"cache\"")
        document.headers.add(name: "cache-control", value: "no-store")
        return .whole(document)
    }

    private static let notFound = WebAnswer.refusal(.notFound, "notFound", "There is no such page in this room.")
    private static let noGame = WebAnswer.refusal(
        .notFound, "noGame", "No game is played here. Start the room with --play NAME, or --serve DIR.")
}

/// What a page may load and do (Content-Security-Policy, level 3).
enum ContentPolicy {
    /// Ours: nothing but our own files, no inline script.
    case page
    /// The maker's own folder: whatever lies in it, and nothing from elsewhere.
    case game

    func headers(host: String) -> HTTPHeaders {
        // Older Safari does not take 'self' for WebSockets.
        let sockets =
            host.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: ";") } ? "wss://\(host) ws://\(host)" : ""
        let content =
            switch self {
            case .page:
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
                    + "font-src 'self'; manifest-src 'self'; frame-src 'self'; connect-src 'self' \(sockets); "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
            case .game:
                "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' \(sockets); "
                    + "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
            }
        return [
            "content-security-policy": content, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin",
            "permissions-policy":
                "accelerometer=(self), gyroscope=(self), magnetometer=(self), screen-wake-lock=(self)",
        ]
    }
}
