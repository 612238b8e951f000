package import RoomEngine
package import SessionCoordinator
package import WireProtocol

/// Puts labels in the place of what says who somebody is: ids, names, addresses, and what people wrote.
///
/// A label is a keyed digest (HMAC-SHA-256, RFC 2104): the same person has the same label under the same key, and
/// without the key nothing leads back. What an invitation gets wrong stays wrong, so that the room still refuses it.
package struct TapedIdentities: Sendable {
    /// 32 bytes for a text.
    package typealias Digest = @Sendable (String) -> [UInt8]

    private let digest: Digest
    /// Who gets a label; `nil` for everyone.
    private let only: Set<ControllerID>?
    /// What the room watches for: of what people call their buttons, no other word is kept.
    package var gestures: Set<String> = []

    package init(only: Set<ControllerID>? = nil, digest: @escaping Digest) {
        self.digest = digest
        self.only = only
    }

    // MARK: Words

    private func number(_ text: String, from start: Int = 0) -> UInt64 {
        digest(text).dropFirst(start).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    var isForEveryone: Bool { only == nil }

    func isMeant(_ controller: ControllerID) -> Bool { only?.contains(controller) ?? true }

    /// Ids that the room itself gave (to unsealed frames) say nothing of anybody.
    package func controller(_ controller: ControllerID) -> ControllerID {
        guard isMeant(controller), !controller.isLegacy else { return controller }
        let text = "controller \(controller)"
        return ControllerID(high: number(text), low: number(text, from: 8))
    }

    /// Six letters and digits that nobody mistakes for one another.
    package func name(of controller: ControllerID) -> String {
        let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ")
        let value = number("name \(controller)")
        return "Player " + String((0..<6).map { alphabet[Int(value >> UInt64($0 * 5) & 31)] })
    }

    private func name(for text: String) -> String { "Name " + String(number("text \(text)"), radix: 36).prefix(6) }

    private func secret(_ hash: [UInt8]) -> [UInt8] {
        hash.isEmpty ? [] : Array(digest("secret " + Hexadecimal.encode(hash)).prefix(hash.count))
    }

    /// A network of its own in 2001:db8::/32 (RFC 3849), which is nobody's.
    package func address(_ address: PeerAddress) -> PeerAddress {
        only == nil ? label(address) : address
    }

    private func label(_ address: PeerAddress) -> PeerAddress {
        let text = "address \(address)"
        return PeerAddress(
            high: 0x2001_0DB8_0000_0000 | number(text) >> 32, low: number(text, from: 8),
            port: UInt16(truncatingIfNeeded: number(text, from: 16)))
    }

    // MARK: Values

    /// - Parameter still: whose taught gestures are left out, as they are motion.
    package func opening(_ opening: Opening, without still: Set<ControllerID> = []) -> Opening {
        var opening = opening
        opening.leases = opening.leases.map(lease)
        opening.talents = opening.talents.filter { !still.contains($0.controller) }.map {
            Opening.Talent(controller: controller($0.controller), talents: $0.talents)
        }
        opening.banned = opening.banned.map(controller)
        return opening
    }

    package func lease(_ lease: Lease) -> Lease {
        guard isMeant(lease.controller) else { return lease }
        var lease = lease
        lease.name = name(of: lease.controller)
        lease.secretHash = secret(lease.secretHash)
        lease.previousSecretHash = lease.previousSecretHash.map(secret)
        lease.controller = controller(lease.controller)
        return lease
    }

    /// Who sat where when the recording began, without what they wrote.
    package func standing(_ standing: Standing) -> Standing {
        guard isMeant(standing.lease.controller) else { return standing }
        var standing = standing
        standing.lease = lease(standing.lease)
        switch standing.way {
        case .awaited: break
        case .linked(var link):
            link.process = number("process \(link.process)").paddedHex
            link.context = []
            for place in link.declarations.indices {
                link.declarations[place].buttonGestures = buttonGestures(link.declarations[place].buttonGestures)
            }
            standing.way = .linked(link)
        case .legacy(let source): standing.way = .legacy(label(source))
        }
        standing.ownName = nil
        return standing
    }

    /// Who waited then.
    package func standing(_ standing: WaitingStanding) -> WaitingStanding {
        var standing = standing
        let isMeant = ControllerID(standing.invitation.controller).map(isMeant) ?? true
        if isMeant { standing.name = ControllerID(standing.invitation.controller).map(name) ?? "" }
        (standing.invitation, standing.material) = invitation(standing.invitation, standing.material)
        return standing
    }

    /// Whom the host had invited.
    package func standing(_ standing: OfferStanding) -> OfferStanding {
        var standing = standing
        standing.offer.player = standing.offer.player.map { player($0, of: standing.offer.controller) }
        standing.offer.controller = controller(standing.offer.controller)
        return standing
    }

    /// Who a player was in the room that it came from.
    private func player(_ player: MovingPlayer, of id: ControllerID) -> MovingPlayer {
        guard isMeant(id) else { return player }
        return MovingPlayer(name: name(of: id), color: player.color)
    }

    /// Whom the operator keeps out, by their labels.
    package func standing(_ standing: RoomStanding) -> RoomStanding {
        var standing = standing
        standing.banned = standing.banned.map(controller)
        return standing
    }

    package func invitation(
        _ invitation: Invitation, _ material: LinkMaterial
    ) -> (invitation: Invitation, material: LinkMaterial) {
        var (invitation, material) = (invitation, material)
        guard let id = ControllerID(invitation.controller) else {
            // Refused for that alone: nothing else of it is needed.
            guard only == nil else { return (invitation, material) }
            (invitation.controller, invitation.process, invitation.name) = ("", "", "")
            (invitation.context, invitation.streams) = (nil, [])
            return (invitation, material)
        }
        guard isMeant(id) else { return (invitation, material) }
        invitation.controller = controller(id).description
        let isProcess = invitation.process.utf8.count == 16 && Hexadecimal.decode(invitation.process) != nil
        invitation.process = isProcess ? number("process \(invitation.process)").paddedHex : ""
        switch PeerName.sanitised(invitation.name) {
        case nil: invitation.name = String(repeating: "x", count: 64)
        case ""?: invitation.name = ""
        default: invitation.name = name(of: id)
        }
        for place in invitation.streams.indices {
            let offer = invitation.streams[place]
            invitation.streams[place].measures = offer.measures.map { Self.measures.contains($0) ? $0 : "?" }
            invitation.streams[place].location = offer.location.flatMap { SensorLocation(rawValue: $0)?.rawValue }
            invitation.streams[place].buttonGestures = offer.buttonGestures.map(buttonGestures)
        }
        if let context = invitation.context {
            let isSound = context.utf8.count <= 2_048 && Hexadecimal.decode(context) != nil
            invitation.context = isSound ? nil : "?"
        }
        material.secretHash = secret(material.secretHash)
        material.presentedHash = material.presentedHash.map(secret)
        return (invitation, material)
    }

    /// A button may be called what somebody likes. A name that the room does not know means nothing under any other name,
    /// and what cannot be declared stays so.
    private func buttonGestures(_ names: [String]) -> [String] {
        let declared = StreamDeclaration(measures: [.acceleration, .buttons], buttonGestures: names)
        guard declared.problem == nil else { return Array(repeating: "", count: 17) }
        let known = gestures.union(["", StreamDeclaration.taughtGesture, StreamDeclaration.otherGesture])
        return names.enumerated().map { place, name in known.contains(name) ? name : "?\(place)" }
    }

    private static let measures: Set = ["acceleration", "rotationRate", "attitude", "buttons", "battery", "submersion"]
    private static let permissions: Set = ["granted", "denied", "none", "insecure"]

    /// A page may call its permission what it likes.
    package func sensor(_ report: SensorReport) -> SensorReport {
        guard isForEveryone else { return report }
        var report = report.sanitised
        report.permission = report.permission.flatMap { Self.permissions.contains($0) ? $0 : nil }
        return report
    }

    package func farewell(_ farewell: Farewell) -> Farewell {
        var farewell = farewell
        farewell.message = nil
        if !FarewellReason.all.contains(farewell.reason) { farewell.reason = "other" }
        return farewell
    }

    /// - Parameters:
    ///   - find: who is meant by a word; `nil` for nobody.
    ///   - waits: the same among those who wait to be let in.
    package func command(
        _ command: RoomCommand, find: (String) -> ControllerID?, waits: (String) -> ControllerID?
    ) -> RoomCommand {
        /// Whoever is meant is called by the whole id; nobody keeps the word that was typed.
        func word(_ who: String) -> String { find(who).map { controller($0).description } ?? unmeant(who) }
        // A player's number says nothing of who it is, and may mean several.
        func words(_ who: String) -> String {
            find(who) == nil ? Designation(who).player.map { "P\($0)" } ?? unmeant(who) : word(who)
        }
        func newcomer(_ who: String) -> String { waits(who).map { controller($0).description } ?? unmeant(who) }
        // A word that finds nobody may be a name all the same: of somebody who came later, or had left.
        func unmeant(_ who: String) -> String { "nobody" }
        func isTouched(_ who: String) -> Bool { find(who).map(isMeant) ?? true }
        switch command {
        case .alive, .status, .departed, .lock, .unlock, .players, .motion, .watermarks, .change, .detect:
            return command
        case .peers(let who, let minute): return .peers(who.map(word), minute: minute)
        case .frames(let who): return .frames(who.map(word))
        case .offer(var terms):
            terms.player = terms.player.map { player($0, of: terms.controller) }
            terms.controller = controller(terms.controller)
            return .offer(terms)
        case .endOffer(let id, var refusal):
            refusal.message = ""
            return .endOffer(id, refusal)
        case .accept(let who): return .accept(who.map(newcomer))
        case .decline(let who, let message):
            let isAnothers = who.flatMap(waits).map { !isMeant($0) } ?? false
            return .decline(who.map(newcomer), message: isAnothers ? message : nil)
        case .kick(let who, let message): return .kick(word(who), message: isTouched(who) ? nil : message)
        case .luggage(let who): return .luggage(word(who))
        case .depart(let who, let message): return .depart(word(who), message: isTouched(who) ? "" : message)
        case .identify(let who): return .identify(words(who))
        case .rezero(let who): return .rezero(words(who))
        case .move(let who, let seat): return .move(word(who), seat: seat)
        case .swap(let who, let other): return .swap(word(who), word(other))
        case .rename(let who, let name):
            let isName = PeerName.sanitised(name).map { !$0.isEmpty } ?? false
            return .rename(word(who), to: !isTouched(who) ? name : isName ? self.name(for: name) : "")
        case .play(let who, let intensity, let sharpness, let duration, let answering):
            return .play(
                words(who), intensity: intensity, sharpness: sharpness, duration: duration, answering: answering)
        case .send(let bytes, let who): return .send(isTouched(who) ? zeros(bytes) : bytes, words(who))
        case .sendNewest(let bytes, let channel, let who):
            return .sendNewest(isTouched(who) ? zeros(bytes) : bytes, channel: channel, words(who))
        case .teaching(let teaching): return .teaching(self.teaching(teaching, word))
        case .deliver(let delivery, let who, let stream, let listener):
            return .deliver(delivery, of: word(who), stream: stream, to: listener)
        }
    }

    private func teaching(_ command: TeachingCommand, _ word: (String) -> String) -> TeachingCommand {
        switch command {
        case .teach(let who, let gesture, let times): .teach(word(who), gesture: gesture, times: times)
        case .cancel(let who): .cancel(word(who))
        case .taught(let who): .taught(who.map(word))
        case .rename(let who, let old, let new): .rename(word(who), old, to: new)
        case .remove(let who, let gesture): .remove(word(who), gesture)
        case .refuseLatest(let who): .refuseLatest(word(who))
        case .sensitivity(let who, let value): .sensitivity(word(who), value)
        }
    }

    private func zeros(_ bytes: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: bytes.count) }
}

extension ControllerID {
    /// The room's own name for whoever sends unsealed frames: "legacy" in ASCII, then a number.
    fileprivate var isLegacy: Bool { high == 0x6C65_6761_6379_0000 }
}
