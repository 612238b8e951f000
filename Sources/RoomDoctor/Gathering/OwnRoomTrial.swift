import Connections
import ControlPort
import Datagrams
import Foundation
import Identity
import NIOCore
import NIOPosix
import OperatorFront
import PeerDiscovery
import PrivateFiles
import RoomRecords
import WireProtocol

/// Looks for this machine's rooms as a controller would; where none runs, announces one of its own for a moment.
struct OwnRoomTrial {
    private static let limit: Duration = .milliseconds(3_500)
    private let browser: RoomBrowser

    private init(_ browser: RoomBrowser) { self.browser = browser }

    /// - Parameters:
    ///   - browser: runs already.
    ///   - hosted: the rooms that run on this machine.
    static func run(
        _ browser: RoomBrowser, _ hosted: [RoomStatus], discovery: DiscoveryMode
    ) async -> OwnRooms {
        let trial = OwnRoomTrial(browser)
        if hosted.isEmpty { return await trial.announceAndFind(discovery) }
        let start = ContinuousClock.now
        var rooms: [OwnRoom] = []
        for status in hosted.prefix(8) {
            var room = OwnRoom(status)
            if room.isAnnounced { await trial.find(&room, id: status.room, since: start) }
            rooms.append(room)
        }
        return .tried(rooms, isTest: false)
    }

    /// The rooms that run on this machine, as far as this user may ask them.
    static func hosted(state: String?) async -> [RoomStatus] {
        func status(_ name: String?) async throws -> RoomStatus? {
            let client = try await OperatorClient(room: name, state: StateFolder(state))
            return try await client.ask(OperatorRequest(.status)).status
        }
        do {
            return try await status(nil).map { [$0] } ?? []
        } catch OperatorClient.Unreachable.whichRoom(let names) {
            var all: [RoomStatus] = []
            for name in names { if let status = try? await status(name) { all.append(status) } }
            return all
        } catch {
            return []
        }
    }

    private func announceAndFind(_ discovery: DiscoveryMode) async -> OwnRooms {
        guard let server = try? await Self.door() else { return .impossible("no port could be opened") }
        defer { server.close(promise: nil) }
        let id = RoomID.random()
        guard let name = try? RoomName("Roomful doctor \(id.description.prefix(4))"),
            let port = server.localAddress?.port
        else { return .impossible("its name is refused") }
        let advertiser = RoomAdvertiser(
            name: name, port: UInt16(port), record: RoomRecord(id: id), discovery: discovery)
        var room = OwnRoom(name.text)
        await find(&room, id: id.description, since: .now)
        await advertiser.stop()
        return .tried([room], isTest: true)
    }

    /// Accepts connections, and ends them.
    private static func door() async throws -> any Channel {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 16)
            .childChannelInitializer { $0.close() }
        return try await bootstrap.bindAnywhere(port: 0)
    }

    private func find(_ room: inout OwnRoom, id: String, since start: ContinuousClock.Instant) async {
        while ContinuousClock.now - start < Self.limit, !Task.isCancelled {
            if self.room(of: id) != nil {
                let passed = ContinuousClock.now - start
                room.foundAfter = Int(passed / .milliseconds(1))
                // Its other addresses follow the first.
                try? await Task.sleep(for: .milliseconds(300))
                return await connect(&room, Self.outward(self.room(of: id)?.endpoints ?? []))
            }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    private func room(of id: String) -> DiscoveredRoom? {
        browser.snapshot().rooms.first { $0.record.id.description == id }
    }

    /// Without loopback, which says nothing of the network, unless there is nothing else.
    private static func outward(_ endpoints: [RoomEndpoint]) -> [RoomEndpoint] {
        let outward = endpoints.filter { PeerAddress(host: "\($0.address)", port: 0)?.isLoopback != true }
        return outward.isEmpty ? endpoints : outward
    }

    /// Tries every address at once, a second long.
    private func connect(_ room: inout OwnRoom, _ endpoints: [RoomEndpoint]) async {
        let answered = await withTaskGroup(of: Int?.self) { group in
            for (place, endpoint) in endpoints.enumerated() {
                group.addTask {
                    let channel = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        .connectTimeout(.seconds(1)).connect(host: endpoint.host, port: Int(endpoint.port)).get()
                    try? await channel?.close()
                    return channel == nil ? nil : place
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for (place, endpoint) in endpoints.enumerated() {
            if answered.contains(place) {
                room.reached.append(endpoint.description)
            } else {
                room.unreached.append(endpoint.description)
            }
        }
    }
}

extension OwnRoom {
    /// One that runs on this machine, as its host tells of it; not looked for yet.
    init(_ status: RoomStatus) {
        self.init(printable(status.name))
        // An older host says it in its line alone.
        isAnnounced = status.discoveryState.map { $0 != "off" } ?? !status.discovery.hasPrefix("not advertised (")
    }
}
