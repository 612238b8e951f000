import ControlPort
import Foundation
import Identity
import Logging
import MetricsFront
import OperatorFront
import RoomRecords
import RoomServer
import SiteFront
import WebFront

/// The fronts of one room: made when it is there, and closed after it.
struct RoomFronts: Sendable {
    private let room: Room
    private let site: WebSite
    private let ports: ControlServer
    private let operators: OperatorServer?
    private let metrics: MetricsServer?
    private let desk: BrokerDesk?

    /// Lets in who waits at the room's ports.
    init(_ room: Room) async throws {
        self.room = room
        let options = room.options
        let policy = WebPolicy(room, options)
        let desk = options.site.map { BrokerDesk($0) }
        self.desk = desk
        let site = WebSite(
            room: room, desk: desk, policy: policy,
            pages: try WebPages(playing: options.play, serving: options.serve), conversations: room.conversations)
        self.site = site
        room.prepareFronts { [room] options in
            let pages = try WebPages(playing: options.play, serving: options.serve)
            let policy = WebPolicy(room, options)
            return { site.adopt(policy, pages) }
        }
        let metrics =
            if let address = options.metrics {
                try await MetricsServer.open(
                    host: address.host, port: address.port, room: room, isKnown: policy.isKnown)
            } else { nil as MetricsServer? }
        self.metrics = metrics
        if let metrics {
            Logger("roomful.room", ofRoom: room.name).notice("metrics at http://\(metrics.address)/metrics")
        }
        do {
            ports = try await room.openPorts(to: site)
        } catch {
            await metrics?.shutDown()
            throw error
        }
        // Whoever hears that the room is there can ask it.
        operators = await OperatorServer.open(room, in: options.state)
    }

    /// Serves until the room closes.
    func run() async {
        async let asked: Void? = operators?.run()
        async let events: Void = site.run()
        async let told: Void = tellSite()
        async let shown: Void? = desk?.run(until: room)
        _ = await (asked, events, told, shown)
    }

    private func tellSite() async {
        guard let options = room.options.site else { return }
        let link = SiteLink(room, options, room.options.tenure)
        room.useMessenger(link)
        await link.run()
    }

    func closeMetrics() async { await metrics?.shutDown() }

    /// No more events for anyone.
    func closeSite() { site.close() }

    func closePorts() async { await ports.shutDown() }
}

extension WebPolicy {
    fileprivate init(_ room: Room, _ options: RoomOptions) {
        let foundation = room.foundation
        let names = Set(ServerNames.current().dnsNames)
        let tls = foundation.tls
        self.init(
            gameToken: foundation.gameToken, operatorToken: foundation.operatorToken,
            isKnown: { names.contains($0) || tls.bears($0) }, publicURL: options.url,
            allowedOrigins: Set(options.allowedOrigins.map { Self.origin($0) }),
            isLoopbackOpen: options.opensLoopback)
    }

    /// In lower case, without a slash at its end.
    private static func origin(_ text: String) -> String {
        let lower = text.lowercased()
        return lower.hasSuffix("/") ? String(lower.dropLast()) : lower
    }
}
