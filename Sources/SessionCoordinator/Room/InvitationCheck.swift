package import WireProtocol

/// An invitation whose every field was checked.
struct AdmittedInvitation: Hashable, Sendable {
    var controller: ControllerID
    var process: String
    var name: String
    var declarations: [StreamDeclaration]
    var hasHaptics: Bool
    var transport: Transport
    var context: [UInt8]
    var timeout: Duration
    var code: String?
    /// Whether it waits where all seats are taken.
    var waits: Bool
    /// The other end of its connection.
    var source: PeerAddress?
}

extension AdmittedInvitation {
    /// Its controller would ask like this again.
    var asAsked: Invitation {
        var invitation = Invitation(
            v: ControlMessage.version, controller: controller.description, process: process, name: name,
            streams: declarations.map { StreamOffer($0) }, haptics: hasHaptics,
            context: context.isEmpty ? nil : Hexadecimal.encode(context),
            timeout: Int(timeout.wholeNanoseconds / 1_000_000), code: code)
        invitation.wait = waits ? true : nil
        return invitation
    }
}

/// A refusal as an error, for those who check.
struct RefusedInvitation: Error {
    var refusal: Refusal

    init(_ message: String) { refusal = Refusal(.badInvitation, message: message) }

    init(version: Int) {
        refusal = Refusal(
            .wrongVersion,
            message: "The host speaks version \(ControlMessage.version), the controller version \(version).")
    }
}

extension Invitation {
    /// Why no room takes it, whatever its policy; `nil` where every field is in order, and none longer than it may be.
    package var refusal: Refusal? {
        switch Coordinator.check(self, over: .udp) {
        case .success: nil
        case .failure(let error): error.refusal
        }
    }
}

extension Coordinator {
    /// Checks every field of an invitation: nothing in it may be trusted.
    static func check(
        _ invitation: Invitation, over transport: Transport
    ) -> Result<AdmittedInvitation, RefusedInvitation> {
        guard invitation.v == ControlMessage.version else { return .failure(RefusedInvitation(version: invitation.v)) }
        guard let controller = ControllerID(invitation.controller) else {
            return .failure(RefusedInvitation("controller must be 32 hexadecimal digits."))
        }
        guard invitation.process.utf8.count == 16, Hexadecimal.decode(invitation.process) != nil else {
            return .failure(RefusedInvitation("process must be 16 hexadecimal digits."))
        }
        guard let name = PeerName.sanitised(invitation.name) else {
            return .failure(RefusedInvitation("name must be at most 63 bytes."))
        }
        guard (1...WireFormat.mostStreams).contains(invitation.streams.count) else {
            return .failure(RefusedInvitation("streams must be 1 to \(WireFormat.mostStreams)."))
        }
        var declarations: [StreamDeclaration] = []
        for offer in invitation.streams {
            switch offer.declaration() {
            case .failure(let error): return .failure(RefusedInvitation("Stream \(offer.stream): \(error.problem)."))
            case .success(let declaration): declarations.append(declaration)
            }
        }
        guard Set(declarations.map(\.stream)).count == declarations.count else {
            return .failure(RefusedInvitation("stream must be another number for each of the streams."))
        }
        let context = invitation.context ?? ""
        guard context.utf8.count <= 2_048, let contextBytes = Hexadecimal.decode(context) else {
            return .failure(RefusedInvitation("context must be at most 1,024 bytes, as hexadecimal digits."))
        }
        let timeout = invitation.timeout ?? 30_000
        guard (1...600_000).contains(timeout) else {
            return .failure(RefusedInvitation("timeout must be 1 to 600000 ms."))
        }
        return .success(
            AdmittedInvitation(
                controller: controller, process: invitation.process, name: name, declarations: declarations,
                hasHaptics: invitation.haptics, transport: transport, context: contextBytes,
                timeout: .milliseconds(timeout), code: invitation.code, waits: invitation.wait ?? false, source: nil))
    }
}
