import Crypto
import Foundation
import PrivateFiles
import WireProtocol
package import X509

/// A room's two certificates as they lie in its folder, made or renewed where need be.
struct AuthorityFiles {
    let roomID: RoomID
    let authority: PEMPair
    let server: PEMPair
    let finding: RoomAuthority.Finding

    private static let longest = 65_536

    /// - Parameters:
    ///   - names: what a certificate that is made now bears, beside what the one before it bore.
    ///   - link: the address that people are sent to, without which a certificate will not do.
    ///   - isClockSure: `now` is kept right, or has had its time to be set.
    init(
        folder: PrivateFolder, names: ServerNames, link: PeerAddress?, now: Date, isClockSure: Bool
    ) throws {
        let isNew: Bool
        (roomID, authority, isNew) = try AuthorityFiles.openAuthority(in: folder, now: now, isClockSure: isClockSure)

        let found = try folder.read(RoomFile.server, limit: AuthorityFiles.longest).map { try? PEMPair(pem: $0) }
        if let found = found ?? nil,
            let reason = found.whyReplace(for: link, authority: authority, now: now, isClockSure: isClockSure)
        {
            // The same key and names where it is this room's: less is another for those who have accepted it.
            let isOwn = found.isSigned(by: authority)
            server = try AuthorityFiles.issueServer(
                isOwn ? found.certificate.serverNames.adding(names) : names, key: isOwn ? found.key : nil,
                signedBy: authority, in: folder, now: now)
            finding = isNew ? .created : .serverReissued(reason)
        } else if let found = found ?? nil {
            server = found
            finding = .loaded
        } else {
            server = try AuthorityFiles.issueServer(names, key: nil, signedBy: authority, in: folder, now: now)
            let reason = found == nil ? "there was none" : "the file could not be read"
            finding = isNew ? .created : .serverReissued(reason)
        }
    }

    private static func openAuthority(
        in folder: PrivateFolder, now: Date, isClockSure: Bool
    ) throws -> (RoomID, PEMPair, isNew: Bool) {
        let name = RoomFile.authority
        guard let pem = try folder.read(name, limit: longest) else {
            let room = RoomID.random()
            let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
            let made = PEMPair(certificate: try .authority(of: room, key: key, now: now), key: key)
            try folder.replace(name, with: try made.pem())
            return (room, made, true)
        }
        // What it signed itself shows a bit that has changed: nobody else would find it out before controllers do.
        guard let found = try? PEMPair(pem: pem), let room = RoomID(of: found.certificate), found.isSigned(by: found)
        else {
            let path = folder.path(of: name)
            throw IdentityError(
                .brokenAuthority,
                "\(path) is damaged, or holds no room's key and certificate; restore it from a backup, or remove it: "
                    + "then every controller is warned that the room has changed")
        }
        guard found.certificate.whyReplace(at: now, margin: Validity.server, isClockSure: isClockSure) != nil else {
            return (room, found, false)
        }
        // The same key, so the same pin: controllers notice nothing.
        let renewed = PEMPair(certificate: try .authority(of: room, key: found.key, now: now), key: found.key)
        try folder.replace(name, with: try renewed.pem())
        return (room, renewed, false)
    }

    /// Sees to it that the folder holds the authority of a room that is open: that is who it is, whatever became of the
    /// file.
    ///
    /// - Throws: ``IdentityError`` with `brokenAuthority` where another room's lies there.
    static func restore(_ authority: PEMPair, in folder: PrivateFolder) throws {
        guard let pem = try folder.read(RoomFile.authority, limit: longest) else {
            return try folder.replace(RoomFile.authority, with: try authority.pem())
        }
        guard let found = try? PEMPair(pem: pem), found.certificate.pin != authority.certificate.pin else { return }
        throw IdentityError(
            .brokenAuthority,
            "\(folder.path(of: RoomFile.authority)) holds another room's key than that of the room that is open: put back "
                + "the file that was there, or open the room anew")
    }

    private static func issueServer(
        _ names: ServerNames, key: Certificate.PrivateKey?, signedBy authority: PEMPair, in folder: PrivateFolder,
        now: Date
    ) throws -> PEMPair {
        let key = key ?? Certificate.PrivateKey(P256.Signing.PrivateKey())
        let certificate = try Certificate.server(key.publicKey, names: names, signedBy: authority, now: now)
        let issued = PEMPair(certificate: certificate, key: key)
        try folder.replace(RoomFile.server, with: try issued.pem())
        return issued
    }
}

extension PEMPair {
    fileprivate func isSigned(by authority: PEMPair) -> Bool {
        authority.certificate.publicKey.isValidSignature(certificate.signature, for: certificate)
    }

    /// Why this server's certificate will not do any more, in words for the log; `nil` while it does.
    fileprivate func whyReplace(
        for link: PeerAddress?, authority: PEMPair, now: Date, isClockSure: Bool
    ) -> String? {
        if !isSigned(by: authority) { return "another authority had signed it" }
        return certificate.whyReplace(for: link)
            ?? certificate.whyReplace(at: now, margin: Validity.renewal, isClockSure: isClockSure)
    }
}

extension RoomID {
    /// The room that an authority's certificate speaks for: its subject is `Roomful` and the id.
    package init?(of authority: Certificate) {
        let names = authority.subject.flatMap { $0 }.filter { $0.type == .RDNAttributeType.commonName }
        guard names.count == 1, let name = String(names[0].value), name.hasPrefix(RoomID.subjectPrefix) else {
            return nil
        }
        self.init(String(name.dropFirst(RoomID.subjectPrefix.count)))
    }

    /// The common name of this room's authority. It differs for each room: browsers mix up two authorities of one name.
    var authorityName: String { RoomID.subjectPrefix + description }

    private static let subjectPrefix = "Roomful "
}
