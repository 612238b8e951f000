import Roomful
import Testing
import WireProtocol

@testable import RoomfulCLI

@Suite("A hotspot of this machine's own")
struct HotspotTests {
    @Test(
        "The Wi-Fi's QR code says its name and password whatever they hold",
        arguments: [
            ("Living Room", "k7mq-2x9d-w4tz", "WIFI:T:WPA;S:Living Room;P:k7mq-2x9d-w4tz;;"),
            ("a;b:c", "x\\y,\"z\"12", "WIFI:T:WPA;S:a\\;b\\:c;P:x\\\\y\\,\\\"z\\\"12;;"),
            // A sign that an accent joins is another character to us, and the same sign to a phone.
            (";\u{301}", "k7mq-2x9d-w4tz", "WIFI:T:WPA;S:\\;\u{301};P:k7mq-2x9d-w4tz;;"),
        ])
    func code(_ ssid: String, _ password: String, _ code: String) throws {
        #expect(try WiFiAccess(ssid: ssid, room: nil, password: password).code == code)
    }

    @Test(
        "It is called as its room, cut between characters to what Wi-Fi's names hold",
        arguments: [
            ("Living Room", "Living Room"), (nil, "Roomful"), ("", "Roomful"),
            (String(repeating: "ü", count: 20), String(repeating: "ü", count: 16)),
            (String(repeating: "a", count: 31) + "ü", String(repeating: "a", count: 31)),
            (String(repeating: "a", count: 20) + "👨‍👩‍👧", String(repeating: "a", count: 20)),
        ] as [(String?, String)])
    func name(_ room: String?, _ ssid: String) throws {
        #expect(try WiFiAccess(ssid: nil, room: room, password: nil).ssid == ssid)
    }

    @Test("A password that is made is easily typed, has 60 bits, and is another each time")
    func password() throws {
        #expect(WiFiAccess.letters.count == 32 && Set(WiFiAccess.letters).count == 32)
        #expect(WiFiAccess.letters.allSatisfy { !"0O1lIo".contains($0) })
        let made = try (0..<100).map { _ in try WiFiAccess(ssid: nil, room: nil, password: nil).password }
        #expect(Set(made).count == 100)
        for password in made {
            let groups = password.split(separator: "-")
            #expect(groups.map(\.count) == [4, 4, 4])
            #expect(groups.joined().allSatisfy { WiFiAccess.letters.contains($0) })
        }
    }

    @Test("What Wi-Fi's standard does not take is refused before anything is opened")
    func refusals() {
        for password in [
            "", "seven77", String(repeating: "x", count: 64), "gr\u{FC}n gr\u{FC}n", " spaced out", "spaced out ",
        ] {
            #expect(throws: RoomError.self, "\(password)") { try WiFiAccess(ssid: nil, room: nil, password: password) }
        }
        for ssid in ["", String(repeating: "x", count: 33), "two\nlines"] {
            #expect(throws: RoomError.self, "\(ssid)") { try WiFiAccess(ssid: ssid, room: nil, password: nil) }
        }
    }

    @Test(
        "A line of nmcli's terse tables is taken apart where it is meant to be",
        arguments: [
            ("wlan0:wifi:connected:Home", ["wlan0", "wifi", "connected", "Home"]),
            ("wlan0:wifi:disconnected:", ["wlan0", "wifi", "disconnected", ""]),
            ("wlan0:wifi:connected:Home\\: up\\\\stairs", ["wlan0", "wifi", "connected", "Home: up\\stairs"]),
            ("a\\:\u{301}b:c", ["a:\u{301}b", "c"]), ("", [""]),
        ])
    func fields(_ line: String, _ fields: [String]) {
        #expect(NetworkManager.fields(of: line) == fields)
    }

    @Test("A value of its lists is taken whole")
    func values() {
        let list = "WIFI-PROPERTIES.AP:yes\nIP4.ADDRESS[1]:10.42.0.1/24\nIP6.ADDRESS[1]:fe80::1/64\n"
        #expect(NetworkManager.value(of: "IP4.ADDRESS[1]", in: list) == "10.42.0.1/24")
        #expect(NetworkManager.value(of: "IP6.ADDRESS[1]", in: list) == "fe80::1/64")
        #expect(NetworkManager.value(of: "IP4.ADDRESS[2]", in: list) == nil)
    }

    @Test("What nmcli refuses is said in its words, and what to do about it")
    func words() {
        let forbidden = NetworkManager.refusal(
            .init(status: 4, output: "", errors: "Error: Failed to add 'x' connection: Insufficient privileges\n"))
        #expect(forbidden.message.contains("say sudo roomful hotspot"))
        let failed = NetworkManager.refusal(
            .init(status: 4, output: "", errors: "Warning: versions differ\nError: Connection activation failed\n"))
        #expect(failed.message.hasPrefix("NetworkManager opens no hotspot (Connection activation failed)"))
    }

    // MARK: Which device

    private static func device(
        _ name: String, _ state: String = "disconnected", _ connection: String = "", canBeAccessPoint: Bool = true,
        isWayOut: Bool = false
    ) -> HotspotDevice {
        HotspotDevice(
            name: name, state: state, connection: connection, canBeAccessPoint: canBeAccessPoint, isWayOut: isWayOut)
    }

    @Test("One that nothing is lost by is taken; one that is in use only where it is named")
    func choice() throws {
        let (home, free) = (Self.device("wlan0", "connected", "Home", isWayOut: true), Self.device("wlan1"))
        #expect(try HotspotDevice.choose(of: [home, free], named: nil) == free)
        #expect(try HotspotDevice.choose(of: [home, free], named: "wlan0") == home)
        let left = Self.device("wlan0", "connected", NetworkManager.connection)
        #expect(try HotspotDevice.choose(of: [left], named: nil) == left)
    }

    @Test("Where there is none, it is said why, and what to do")
    func none() {
        let cases: [([HotspotDevice], String?, RoomError.Code, String)] = [
            ([], nil, .notFound, "no Wi-Fi device"), ([], "wlan0", .notFound, "no Wi-Fi device"),
            ([Self.device("wlan0")], "eth0", .badOption, "it has wlan0"),
            ([Self.device("wlan0", "unmanaged")], nil, .closed, "nmcli device set wlan0 managed yes"),
            ([Self.device("wlan0", "unavailable")], nil, .closed, "rfkill"),
            ([Self.device("wlan0", canBeAccessPoint: false)], nil, .closed, "cannot open an access point"),
            ([Self.device("wlan0", canBeAccessPoint: false)], "wlan0", .closed, "cannot open an access point"),
            (
                [Self.device("wlan0", "connected", "Home", isWayOut: true)], nil, .closed,
                "way to the Internet (by \"Home\"), and cannot be a hotspot at the same time; to give that up "
                    + "meanwhile: roomful hotspot --interface wlan0"
            ),
        ]
        for (devices, wanted, code, words) in cases {
            do throws(RoomError) {
                let device = try HotspotDevice.choose(of: devices, named: wanted)
                Issue.record("\(device.name) was taken")
            } catch {
                #expect(error.code == code)
                #expect(error.message.contains(words), "\(error.message)")
            }
        }
    }

    @Test("The way out is where the kernel's tables lead by default")
    func waysOut() {
        let ipv4 = """
            Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
            wlan0\t00000000\t0101A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0
            wlan1\t0001A8C0\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0\t0\t0
            """
        let zero = String(repeating: "0", count: 32)
        let ipv6 = """
            \(zero) 00 \(zero) 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth0
            \(zero) 00 \(zero) 00 \(zero) ffffffff 00000001 00000000 00200200       lo
            fe800000000000000000000000000000 40 \(zero) 00 \(zero) 00000100 00000001 00000000 00000001    wlan1
            """
        #expect(HotspotDevice.waysOut(ipv4: ipv4, ipv6: ipv6) == ["wlan0", "eth0"])
        #expect(HotspotDevice.waysOut(ipv4: "", ipv6: "").isEmpty)
    }

    // MARK: The codes

    @Test("Both codes stand side by side where they fit, below one another where each does, and never broken")
    func codes() throws {
        let wifi = try #require(LinkPicture("WIFI:T:WPA;S:Hall;P:k7mq-2x9d-w4tz;;"))
        let room = try #require(LinkPicture("https://10.42.0.1:7777/#" + String(repeating: "x", count: 120)))
        let both = wifi.columns + 2 + room.columns
        func drawn(_ columns: Int) -> [Substring] {
            HotspotPage.beside([wifi, room], columns: columns, isOnTerminal: false).split(separator: "\n")
        }
        #expect(drawn(both).count == room.lines && drawn(both).allSatisfy { TerminalText.width($0) == both })
        #expect(drawn(both - 1).count == wifi.lines + room.lines)
        #expect(drawn(room.columns - 1).count == wifi.lines)
        #expect(drawn(wifi.columns - 1).isEmpty)
    }
}
