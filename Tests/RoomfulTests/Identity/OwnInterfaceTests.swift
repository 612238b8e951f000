import Foundation
import Testing
import WireProtocol

@testable import Identity

@Suite("Which of a machine's addresses others are sent to first")
struct OwnInterfaceTests {
    private let up = UInt32(IFF_UP | IFF_RUNNING)
    private var lan: UInt32 { up | UInt32(IFF_BROADCAST) }
    private var tunnel: UInt32 { up | UInt32(IFF_POINTOPOINT) }

    private func addresses(_ texts: [String]) -> [PeerAddress] { texts.compactMap { PeerAddress(host: $0, port: 0) } }

    private func interface(
        _ name: String, _ flags: UInt32, _ texts: String..., metric: UInt32? = nil, isBridge: Bool = false
    ) -> OwnInterface {
        OwnInterface(name: name, flags: flags, addresses: addresses(texts), metric: metric, isBridge: isBridge)
    }

    /// As a room has them: those of all its interfaces, by their text.
    private func order(_ interfaces: [OwnInterface], outward: String..., unfit: [String] = []) -> [String] {
        let names = ServerNames(dnsNames: [], addresses: interfaces.flatMap(\.addresses))
        return names.addresses.bestFirst(
            on: interfaces, outward: addresses(outward), unfit: Set(addresses(unfit))
        ).map(\.host)
    }

    @Test("First where the way out begins, IPv4 before IPv6; bridges of containers last")
    func outward() {
        let machine = [
            interface("docker0", lan, "172.17.0.1", isBridge: true),
            interface("eth0", lan, "192.168.1.5", "2001:db8::5", "fd00::5", metric: 100),
            interface("wlan0", lan, "10.0.0.7", metric: 600), interface("eth1", lan, "10.0.0.1"),
        ]
        #expect(
            order(machine, outward: "192.168.1.5", "2001:db8::5") == [
                "192.168.1.5", "2001:db8::5", "10.0.0.7", "fd00::5", "10.0.0.1", "172.17.0.1",
            ])
    }

    @Test("A VPN that takes all that leaves the machine is no way to it: the LAN below comes first, by its metric")
    func tunnelled() {
        // As OpenVPN, which leaves the LAN's way to the world; as NetworkManager, with a better one; with none left.
        let vpn = interface("tun0", tunnel, "10.8.0.6")
        let bridge = interface("docker0", lan, "172.17.0.1", isBridge: true)
        let better = interface("tun0", tunnel, "10.8.0.6", metric: 50)
        let wlan = interface("wlan0", lan, "192.168.1.7", metric: 600)
        let eth = interface("eth0", lan, "192.168.1.9", metric: 100)
        let lonely = interface("eth0", lan, "192.168.1.9")
        #expect(order([vpn, wlan], outward: "10.8.0.6") == ["192.168.1.7", "10.8.0.6"])
        #expect(order([better, wlan, eth], outward: "10.8.0.6") == ["192.168.1.9", "192.168.1.7", "10.8.0.6"])
        #expect(order([vpn, bridge, lonely], outward: "10.8.0.6") == ["192.168.1.9", "10.8.0.6", "172.17.0.1"])
    }

    @Test("In a LAN without a router a bridge does not come before it; one that leads on is a LAN like others")
    func routerless() {
        let bridge = interface("br-1", lan, "172.18.0.1", isBridge: true)
        #expect(order([bridge, interface("eth0", lan, "192.168.1.5")]) == ["192.168.1.5", "172.18.0.1"])
        let own = interface("br0", lan, "192.168.1.5", metric: 0, isBridge: true)
        #expect(order([bridge, own, interface("eth1", lan, "10.0.0.1")]).first == "192.168.1.5")
    }

    @Test("An address that ends soon, or may be another device's, comes after all others, and is not left out")
    func unfit() {
        let machine = [
            interface("eth0", lan, "2001:db8::1", "2001:db8::2"),
            interface("docker0", lan, "172.17.0.1", isBridge: true),
        ]
        #expect(order(machine) == ["2001:db8::1", "2001:db8::2", "172.17.0.1"])
        let later = ["2001:db8::2", "172.17.0.1", "2001:db8::1"]
        #expect(order(machine, outward: "2001:db8::1", unfit: ["2001:db8::1"]) == later)
        // Deprecated, tentative, both of another device and tentative; temporary; none of these.
        let table = ["20", "40", "48", "01", "80"].enumerated().map { number, flags in
            "20010db800000000000000000000000\(number) 02 40 00 \(flags)     eth0"
        }.joined(separator: "\n")
        let unfit = flaggedAddresses(AddressFlag.unfit, in: table)
        #expect(unfit == Set(addresses(["2001:db8::", "2001:db8::1", "2001:db8::2"])))
        #expect(flaggedAddresses(AddressFlag.temporary, in: table) == Set(addresses(["2001:db8::3"])))
        #expect(flaggedAddresses(AddressFlag.unfit, in: "").isEmpty)
    }

    @Test("What is switched off, or has nothing at its other end, is left out; what nothing is known of stays")
    func down() {
        let off = interface("eth1", UInt32(IFF_BROADCAST), "10.0.0.1")
        let unplugged = interface("eth0", UInt32(IFF_UP | IFF_BROADCAST), "192.168.1.5", metric: 100)
        #expect(order([off, unplugged, interface("wlan0", lan, "192.168.1.7")]) == ["192.168.1.7"])
        #expect(order([off, unplugged], outward: "192.168.1.5") == [])
        // It moved from the one to the other.
        #expect(order([unplugged, interface("br0", lan, "192.168.1.5")]) == ["192.168.1.5"])
        #expect(addresses(["192.168.1.5"]).bestFirst(on: [], outward: []).map(\.host) == ["192.168.1.5"])
    }

    @Test("A machine is among others in any LAN, and wherever its way out begins; not by bridges, nor by a dead cable")
    func amongOthers() {
        func isAmongOthers(_ interface: OwnInterface, outward: String...) -> Bool {
            interface.isAmongOthers(outward: addresses(outward))
        }
        #expect(isAmongOthers(interface("eth0", lan, "192.168.1.5")))
        #expect(isAmongOthers(interface("tun0", tunnel, "10.8.0.6"), outward: "10.8.0.6"))
        #expect(isAmongOthers(interface("br0", lan, "192.168.1.5", isBridge: true), outward: "192.168.1.5"))
        #expect(!isAmongOthers(interface("br-1", lan, "172.18.0.1", isBridge: true)))
        #expect(!isAmongOthers(interface("eth0", lan, "169.254.3.4", "fe80::1"), outward: "169.254.3.4"))
        #expect(!isAmongOthers(interface("lo", up, "127.0.0.1", "::1")))
        let unplugged = interface("eth0", UInt32(IFF_UP | IFF_BROADCAST), "192.168.1.5", metric: 100)
        #expect(!isAmongOthers(unplugged, outward: "192.168.1.5"))
    }

    @Test("A way out leads to the whole world: neither to one half of it, as a VPN's, nor nowhere")
    func ways() {
        let head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT"
        let table = [
            "tun0\t00000000\t0108080A\t0003\t0\t0\t0\t00000080\t0\t0\t0  ",
            "tun0\t00000080\t0108080A\t0003\t0\t0\t0\t00000080\t0\t0\t0  ",
            "*\t00000000\t00000000\t0200\t0\t0\t4278198272\t00000000\t0\t0\t0",
            "eth1\t00000000\t00000000\t0201\t0\t0\t5\t00000000\t0\t0\t0",
            "eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0     ",
            "eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0", "",
        ]
        let ways = OwnInterface.waysOut(in: ([head] + table).joined(separator: "\n"))
        #expect(ways.map { $0.interface } == ["eth0"] && ways.map { $0.metric } == [100])
        #expect(OwnInterface.waysOut(in: "").isEmpty)
    }

    @Test("This machine has its loopback, which is connected, and no interface twice")
    func own() {
        let all = OwnInterface.all()
        let loopback = all.first { $0.addresses.contains { $0.isLoopback } }
        #expect(loopback?.isConnected == true && loopback?.isShared == false)
        #expect(Set(all.map(\.name)).count == all.count)
        #expect(ServerNames.current().reachable.allSatisfy { !$0.isLoopback })
    }
}
