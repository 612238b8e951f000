import Foundation
import Roomful

/// What is wrong with a peer, in words for whoever stands beside it, and what helps.
enum PeerTroubles {
    static func of(_ peer: PeerStatus) -> [String] {
        var troubles: [String] = []
        if peer.datagrams.authenticated == 0 {
            troubles.append(
                "no datagram has come yet: does a firewall stop UDP to this machine? TCP came through")
        } else if peer.link == "silent" || peer.state == "lost" {
            troubles.append(
                "silent for \(Figures.milliseconds(peer.lastHeardMs)): is its screen locked, its Wi-Fi off, its program closed?"
                    + " The seat is \(peer.state == "lost" ? "kept for a while" : "still its own")")
        } else {
            for stream in peer.detail?.streams ?? [] where stream.isStale {
                let age = stream.ageMs.map { "for \(Figures.milliseconds($0))" } ?? "yet"
                troubles.append("no sample of stream \(stream.stream) \(age), though the link lives: is the sensor on?")
            }
        }
        if let quality = peer.quality, quality < 0.9, peer.link != "silent" {
            troubles.append(
                "the link is poor (\(Figures.percent(quality)) of the last 5 s): nearer to the access point, or another channel, helps")
        }
        if peer.samples.abandoned > 0 {
            troubles.append("\(peer.samples.abandoned) samples are lost for good: the link was away for longer than the controller holds them")
        }
        let arrived = peer.samples.delivered + peer.samples.late
        if peer.samples.late * 100 > arrived {
            troubles.append("\(peer.samples.late) samples came too late to count: raise the holdback, or mend the network")
        }
        if peer.transport != "legacy", peer.clock.state != "locked", peer.link != "silent", peer.lastHeardMs < 1_000 {
            troubles.append("the clock is \(Figures.clock(peer.clock)), not locked: who was first cannot be told exactly")
        }
        if peer.datagrams.rateLimited > 0 {
            troubles.append("\(peer.datagrams.rateLimited) datagrams were not read: it sends more than it declared")
        }
        if let moves = peer.detail?.pathChanges, moves > 5 {
            troubles.append("its address changed \(moves) times: it roams, or something between translates addresses badly")
        }
        return troubles
    }
}
