import WireProtocol

/// Someone who asks for a seat.
struct Guest {
    /// Which controller it is, by a number.
    var number: UInt64
    /// Which run of its program.
    var process: UInt64 = 1
    var name: String
    var code: String?
    var secret: String?
    /// Of the host's own offer.
    var ticket: String?
    var timeout: Int?
    var wait: Bool?
    var streams = [StreamDeclaration()]

    init(_ number: UInt64, name: String? = nil, code: String? = nil, secret: String? = nil, timeout: Int? = nil) {
        self.number = number
        self.name = name ?? "Pad \(number)"
        self.code = code
        self.secret = secret
        self.timeout = timeout
    }

    var controller: ControllerID { ControllerID(high: 0xC0FF_EE00_0000_0000, low: number) }

    var invitation: Invitation {
        Invitation(
            controller: controller.description, process: process.paddedHex, name: name,
            streams: streams.map(StreamOffer.init), haptics: true, timeout: timeout, code: code, secret: secret,
            wait: wait)
    }

    /// The same program, coming back with what the host told it.
    func returning(with seated: Seated) -> Guest {
        var guest = self
        guest.secret = seated.secret
        return guest
    }
}

extension HostTime {
    /// Milliseconds after the tests' beginning; the host was switched on an hour before.
    static func ms(_ milliseconds: Double) -> HostTime {
        HostTime(nanoseconds: 3_600_000_000_000 + Int64((milliseconds * 1e6).rounded()))
    }

    static func s(_ seconds: Double) -> HostTime { .ms(seconds * 1_000) }
}

extension PeerAddress {
    /// 192.168.1.x, as the tests' controllers have them.
    static func lan(_ host: UInt8, port: UInt16 = 50_000) -> PeerAddress {
        PeerAddress(ipv4: 0xC0A8_0100 | UInt32(host), port: port)
    }
}

extension ControlMessage {
    var seat: Seated? { if case .seated(let seated) = self { seated } else { nil } }
    var waiting: Waiting? { if case .waiting(let waiting) = self { waiting } else { nil } }
    var farewell: Farewell? { if case .goodbye(let farewell) = self { farewell } else { nil } }
    var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}
