import Foundation
import Roomful

/// NetworkManager, by way of nmcli.
struct NetworkManager: Sendable {
    /// What our hotspot is called there; kept in memory alone, so that nothing of it outlives the machine's restart.
    static let connection = "roomful-hotspot"

    private let nmcli: ChildProgram

    /// `nil` where nmcli is not installed.
    init?() {
        guard let nmcli = ChildProgram(named: "nmcli") else { return nil }
        self.nmcli = nmcli
    }

    var isRunning: Bool {
        get async throws {
            let answer = try await nmcli.run(["-t", "-f", "RUNNING", "general"])
            return answer.status == 0 && answer.output.hasPrefix("running")
        }
    }

    // MARK: Looking

    /// The device to open a hotspot with.
    ///
    /// - Throws: ``RoomError`` that says why there is none, and what to do.
    func device(named wanted: String?) async throws -> HotspotDevice {
        let radio = Self.fields(of: try await asked("-t", "-f", "WIFI-HW,WIFI", "radio").output.firstLine)
        guard radio.first != "disabled" else {
            throw RoomError(
                .closed,
                "Wi-Fi is switched off by a key or a switch of this machine: switch it on (rfkill list shows it)")
        }
        let all = try await devices()
        guard all.isEmpty || radio.last != "disabled" else {
            throw RoomError(
                .closed, "Wi-Fi is switched off (airplane mode): switch it on, or say nmcli radio wifi on")
        }
        return try HotspotDevice.choose(of: all, named: wanted)
    }

    private func devices() async throws -> [HotspotDevice] {
        let ways = HotspotDevice.waysOut
        var devices: [HotspotDevice] = []
        let list = try await asked("-t", "-f", "DEVICE,TYPE,STATE,CONNECTION", "device").output
        for line in list.split(separator: "\n") {
            let fields = Self.fields(of: line)
            guard fields.count == 4, fields[1] == "wifi" else { continue }
            let properties = try await asked("-t", "-f", "WIFI-PROPERTIES.AP", "device", "show", fields[0]).output
            devices.append(
                HotspotDevice(
                    name: fields[0], state: fields[2], connection: fields[3],
                    canBeAccessPoint: Self.value(of: "WIFI-PROPERTIES.AP", in: properties) == "yes",
                    isWayOut: ways.contains(fields[0])))
        }
        return devices
    }

    // MARK: Opening

    /// What adds the hotspot; its password comes later, as every user of the machine may read a program's words.
    static func adding(_ access: WiFiAccess, on device: String) -> [String] {
        [
            "connection", "add", "type", "wifi", "con-name", connection, "ifname", device, "autoconnect", "no",
            "save", "no", "ssid", access.ssid, "wifi.mode", "ap", "wifi-sec.key-mgmt", "wpa-psk",
            "wifi-sec.proto", "rsn", "wifi-sec.pairwise", "ccmp", "wifi-sec.group", "ccmp",
            "ipv4.method", "shared", "ipv6.method", "disabled",
        ]
    }

    static let editing = ["connection", "edit", "id", connection]
    /// Says the password that it keeps; an empty line where it keeps none.
    static let showingPassword = [
        "-s", "-e", "no", "-g", "802-11-wireless-security.psk", "connection", "show", "id", connection,
    ]
    /// What nmcli's editor is told then.
    static func edits(_ access: WiFiAccess) -> [String] {
        ["set 802-11-wireless-security.psk \(access.password)", "save temporary", "quit"]
    }

    static let beginning = ["--wait", "45", "connection", "up", "id", connection]
    static let ending = ["--wait", "10", "connection", "delete", "id", connection]

    /// Opens the hotspot, in place of one that was left behind.
    ///
    /// - Returns: this machine's address in it.
    func open(_ access: WiFiAccess, on device: String) async throws -> String? {
        _ = try await nmcli.run(Self.ending)
        try await succeeds(Self.adding(access, on: device))
        try await edit(access)
        try await succeeds(Self.beginning)
        let shown = try await asked("-t", "-f", "IP4.ADDRESS", "device", "show", device).output
        return Self.value(of: "IP4.ADDRESS[1]", in: shown).map { String($0.prefix { $0 != "/" }) }
    }

    /// Gives it its password. The editor does not say by its exit code whether it did what it was told, and once on a very
    /// busy machine it had not: so it is looked at, and told again.
    private func edit(_ access: WiFiAccess) async throws {
        var words = ""
        for _ in 1...3 {
            let edited = try await nmcli.run(Self.editing, input: Self.edits(access).joined(separator: "\n") + "\n")
            let kept = try await nmcli.run(Self.showingPassword)
            if kept.output == access.password + "\n" { return }
            words = "\(Self.words(of: edited)), then \(Self.words(of: kept))"
            try await Task.sleep(for: .seconds(1))
        }
        throw RoomError(.closed, "NetworkManager did not take the password (\(words))")
    }

    /// Returns never: throws once the hotspot is not open any more.
    func untilEnded() async throws -> Never {
        while true {
            try await Task.sleep(for: .seconds(5))
            let shown = try await nmcli.run(["-t", "-f", "GENERAL.STATE", "connection", "show", "id", Self.connection])
            let state = Self.value(of: "GENERAL.STATE", in: shown.output)
            guard state == "activated" || state == "activating" else {
                throw RoomError(
                    .closed, "the hotspot has ended, and not by this program; why: journalctl -u NetworkManager")
            }
        }
    }

    /// Takes the hotspot down, and everything of it out of NetworkManager.
    func close() async throws {
        let answer = try await nmcli.run(Self.ending)
        guard answer.status == 0 || answer.status == Self.notThere else {
            throw RoomError(
                .closed,
                "the hotspot may still be open: \(Self.words(of: answer)); to end it: nmcli "
                    + Self.ending.dropFirst(2).joined(separator: " "))
        }
    }

    // MARK: Asking

    /// "Connection, device, or access point does not exist" (nmcli(1), EXIT STATUS).
    private static let notThere: Int32 = 10

    private func asked(_ words: String...) async throws -> ChildProgram.Answer { try await succeeds(words) }

    @discardableResult
    private func succeeds(_ words: [String]) async throws -> ChildProgram.Answer {
        let answer = try await nmcli.run(words)
        guard answer.status == 0 else { throw Self.refusal(answer) }
        return answer
    }

    /// What NetworkManager said, and what to do.
    static func refusal(_ answer: ChildProgram.Answer) -> RoomError {
        let words = words(of: answer)
        let isForbidden = ["insufficient privileges", "not authorized"].contains { words.lowercased().contains($0) }
        guard !isForbidden else {
            return RoomError(
                .closed,
                "this user may not open a hotspot on this machine (\(words)): say sudo roomful hotspot …, or say it "
                    + "at the machine's own screen")
        }
        return RoomError(
            .closed,
            "NetworkManager opens no hotspot (\(words)); it needs wpasupplicant and dnsmasq-base (sudo apt install "
                + "wpasupplicant dnsmasq-base), and says more by: journalctl -u NetworkManager")
    }

    private static func words(of answer: ChildProgram.Answer) -> String {
        let lines = answer.errors.split(separator: "\n").filter { !$0.hasPrefix("Warning:") }
        let text = lines.joined(separator: "; ")
        let said = text.hasPrefix("Error: ") ? String(text.dropFirst("Error: ".count)) : text
        return said.isEmpty ? "nmcli ended with \(answer.status)" : said
    }

    /// The fields of a line of nmcli's terse tables: `:` stands between them, and `\` before either within one.
    static func fields(of line: some StringProtocol) -> [String] {
        var fields = [String.UnicodeScalarView()]
        var isEscaped = false
        for scalar in line.unicodeScalars {
            if !isEscaped, scalar == "\\" {
                isEscaped = true
                continue
            }
            if !isEscaped, scalar == ":" {
                fields.append(String.UnicodeScalarView())
            } else {
                fields[fields.count - 1].append(scalar)
            }
            isEscaped = false
        }
        return fields.map { String($0) }
    }

    /// A value of nmcli's terse lists, `NAME:VALUE`, in which nothing is escaped.
    static func value(of name: String, in list: String) -> String? {
        let line = list.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line.map { String($0.dropFirst(name.count + 1)) }
    }
}

extension String {
    fileprivate var firstLine: Substring { prefix { $0 != "\n" } }
}
