import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import Roomful

/// All the phones, each on a connection of its own.
final class PhoneCrowd: Sendable {
    /// A phone, and where it runs.
    private struct Place: Sendable {
        let channel: any Channel
        let phone: NIOLoopBound<Phone>
        let seated: EventLoopFuture<Void>
        let done: EventLoopFuture<PhoneBooks>
        let gone: EventLoopFuture<Void>
    }

    private let plan: PhonePlan
    private let places: [Place]

    /// Returns when all phones have their seats; 8 of them join at once.
    init(_ plan: PhonePlan, to link: RoomLink) async throws {
        self.plan = plan
        var tls = TLSConfiguration.makeClientConfiguration()
        // A person who goes on past the warning.
        tls.certificateVerification = .none
        tls.applicationProtocols = ["http/1.1"]
        let context = try NIOSSLContext(configuration: tls)
        var places: [Place] = []
        for first in stride(from: 0, to: plan.phones, by: 8) {
            let next = try await withThrowingTaskGroup(of: Place.self) { group in
                for number in first..<min(first + 8, plan.phones) {
                    group.addTask { try await Self.join(number, plan, link, context) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for place in next { try await place.seated.get() }
            places += next
        }
        self.places = places
    }

    /// Lets all play at once for the plan's time; returns what they counted once the host has confirmed everything.
    func play() async throws -> [PhoneBooks] {
        let samples = Int(plan.rate * plan.seconds)
        for place in places {
            place.channel.eventLoop.execute { place.phone.value.play(samples: samples) }
        }
        var books: [PhoneBooks] = []
        for place in places { books.append(try await place.done.get()) }
        return books
    }

    func leave() async {
        for place in places {
            place.channel.eventLoop.execute {
                let phone = place.phone.value
                guard let context = try? place.channel.pipeline.syncOperations.context(handler: phone) else { return }
                phone.leave(context)
            }
        }
        for place in places { try? await place.gone.get() }
    }

    /// A connection that ended before a WebSocket was agreed is made once more, and again, as a browser's page does.
    private static func join(
        _ number: Int, _ plan: PhonePlan, _ link: RoomLink, _ tls: NIOSSLContext
    ) async throws -> Place {
        for _ in 0..<3 {
            if let place = try? await dial(number, plan, link, tls) { return place }
            try await Task.sleep(for: .milliseconds(500))
        }
        return try await dial(number, plan, link, tls)
    }

    private static func dial(
        _ number: Int, _ plan: PhonePlan, _ link: RoomLink, _ tls: NIOSSLContext
    ) async throws -> Place {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(10))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        let upgrade = try await bootstrap.connect(host: link.connectTo.host, port: Int(link.connectTo.port)) {
            channel in
            channel.eventLoop.makeCompletedFuture {
                let handler = try NIOSSLClientHandler(context: tls, serverHostname: link.serverName)
                try channel.pipeline.syncOperations.addHandler(handler)
                return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                    configuration: webSocket(number, plan, link))
            }
        }
        return try await upgrade.get()
    }

    private static func webSocket(
        _ number: Int, _ plan: PhonePlan, _ link: RoomLink
    ) -> NIOUpgradableHTTPClientPipelineConfiguration<Place> {
        let head = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: "/api/controller",
            headers: ["Host": link.authority, "Origin": "https://\(link.authority)", "Content-Length": "0"])
        let upgrader = NIOTypedWebSocketClientUpgrader<Place>(maxFrameSize: 1 << 16) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                let loop = channel.eventLoop
                let seated = loop.makePromise(of: Void.self)
                let done = loop.makePromise(of: PhoneBooks.self)
                let gone = loop.makePromise(of: Void.self)
                let phone = Phone(
                    number: number, rate: plan.rate, code: link.ticket.code?.text, seated: seated, done: done,
                    gone: gone)
                try channel.pipeline.syncOperations.addHandler(phone)
                return Place(
                    channel: channel, phone: NIOLoopBound(phone, eventLoop: loop), seated: seated.futureResult,
                    done: done.futureResult, gone: gone.futureResult)
            }
        }
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: head, upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeFailedFuture(
                        Phone.Failed(description: "phone \(number): the room did not agree to a WebSocket"))
                }))
        // The host speaks first: its greeting may come together with the answer to the upgrade.
        configuration.leftOverBytesStrategy = .forwardBytes
        return configuration
    }
}
