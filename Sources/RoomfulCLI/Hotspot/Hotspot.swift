import ArgumentParser
import Foundation
import PrivateFiles
import Roomful
import WireProtocol

struct Hotspot: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hotspot",
        abstract: "A Wi-Fi of this machine's own, where there is no network: its QR code, and the room's.",
        discussion: """
            Examples:  roomful hotspot                 # until Ctrl-C; a phone scans the first code, then the second
                       roomful hotspot "Living Room" --interface wlan1
                       roomful hotspot --print         # what it would do, to do it by hand
            NetworkManager opens it, in place of one that was left behind, and nothing of it is left afterwards. Where
            there is no NetworkManager, the commands that do the same are printed, and the exit code is 1.
            """)

    @Argument(help: "The room that it is for; else the one that is open.") var room: String?
    @Option(help: "What the Wi-Fi is called, at most 32 bytes; else as the room, or Roomful.") var ssid: String?
    @Option(
        help: """
            8 to 63 characters of ASCII; else one is made. Others on this machine can read it in the list of \
            processes: - reads it from standard input.
            """)
    var password: String?
    @Option(help: "The Wi-Fi device, also one that is in use; else one that is free.") var interface: String?
    @Flag(name: .customLong("print"), help: "Print the commands, and run none.") var printsOnly = false
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        try await Failure.explained {
            // Who reads what is printed may go; the hotspot stays, and is taken down in order.
            signal(SIGPIPE, SIG_IGN)
            // What the kernel would not name so goes into no file and no command that somebody may paste.
            if let interface, !HotspotDevice.isName(interface) {
                throw RoomError(.badOption, "--interface takes a network interface's name, as: ip link")
            }
            let found = try await HotspotRoom(named: room)
            let access = try WiFiAccess(
                ssid: ssid, room: found?.name ?? room, password: password == "-" ? readLine() ?? "" : password)
            guard let manager = NetworkManager(), try await manager.isRunning else { return try withoutManager(access) }
            guard !printsOnly else {
                let device = if let interface { interface } else { try await manager.device(named: nil).name }
                return try show(.byNetworkManager(access, on: device))
            }
            let lock = try Self.lock()
            defer { lock.release() }
            let device = try await manager.device(named: interface).name
            let next = "roomful host \(shellWord(found?.name ?? room ?? "Living Room"))"
            try await OpenHotspot(
                manager: manager, access: access, device: device, room: found, next: next, json: json
            ).run()
        }
    }

    private func withoutManager(_ access: WiFiAccess) throws {
        let isInstalled = NetworkManager() != nil
        let device = interface ?? HotspotCommands.deviceOfKernel
        if printsOnly || !isInstalled { try show(.byHand(access, on: device ?? "wlan0")) }
        guard !printsOnly else { return }
        guard !isInstalled else {
            throw RoomError(
                .closed,
                "NetworkManager does not run: sudo systemctl start NetworkManager; or open the hotspot by hand: "
                    + "roomful hotspot --print")
        }
        if !json, let picture = LinkPicture(access.code) {
            Terminal.print(picture)
            Terminal.print("The Wi-Fi's QR code, once that is done; the room's:  roomful qr")
        }
        throw RoomError(
            .closed,
            "NetworkManager is not installed (sudo apt install network-manager), so nothing was opened: what is "
                + "printed does the same by hand"
                + (device == nil ? "; but this machine has no Wi-Fi device: plug one in first" : ""))
    }

    private func show(_ commands: HotspotCommands) throws {
        Terminal.print(json ? try Terminal.json(commands) : commands.text)
    }

    /// One at a time of a user's: the second would take the first one's over.
    private static func lock() throws -> RoomLock {
        let folder = try StateFolder().runtimeFolder()
        do throws(StorageError) {
            return try RoomLock(in: folder, file: "hotspot.lock")
        } catch {
            guard error.code == .roomInUse else { throw error }
            throw RoomError(.closed, "another roomful hotspot is open: end that first, by Ctrl-C where it was begun")
        }
    }
}

/// Holds a hotspot open until somebody ends the program.
private struct OpenHotspot: Sendable {
    let manager: NetworkManager
    let access: WiFiAccess
    let device: String
    let room: HotspotRoom?
    let next: String
    let json: Bool

    private let output = PatientOutput(withoutReader: "the hotspot stays open; it ends by: kill \(getpid())")

    init(
        manager: NetworkManager, access: WiFiAccess, device: String, room: HotspotRoom?, next: String, json: Bool
    ) {
        self.manager = manager
        self.access = access
        self.device = device
        self.room = room
        self.next = next
        self.json = json
    }

    func run() async throws {
        let work = Task { try await hold() }
        // Also while it is taken down: nobody ends that by a second Ctrl-C.
        let interruption = Interruption()
        interruption.onInterrupt { work.cancel() }
        defer { withExtendedLifetime(interruption) {} }
        let ending = await work.result
        try await manager.close()
        switch ending {
        case .failure(let problem) where !(problem is CancellationError): throw problem
        default: if !json { await output.print("the hotspot is closed") }
        }
    }

    private func hold() async throws {
        let page = try await Progress.shown("opening the hotspot, up to a minute …", unless: json) {
            let address = try await manager.open(access, on: device)
            return HotspotPage(
                access: access, device: device, address: address, poster: try await poster(at: address), next: next)
        }
        if json {
            await output.print(try Terminal.json(page.record))
        } else {
            await output.write(
                page.codes(columns: Terminal.size?.columns ?? .max, isOnTerminal: Terminal.isInteractive))
            await output.print(page.text)
        }
        try await manager.untilEnded()
    }

    /// `nil` where no room is open, or it has closed meanwhile: the hotspot stays all the same.
    private func poster(at address: String?) async throws -> RoomPoster? {
        do {
            return try await room?.poster(at: address)
        } catch {
            try Task.checkCancellation()
            Failure.say("the room does not say how phones join it: \(error)")
            return nil
        }
    }
}
