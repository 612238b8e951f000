extension PeerStatus {
    /// As games are told: neither where its device is, nor what the device says of itself.
    var toldToGames: PeerStatus {
        var told = self
        told.address = nil
        told.sensor = nil
        if let recent {
            let faults = recent.faults.filter { !deviceTroubles.contains($0) }
            told.recent?.faults = faults
            told.recent?.troubles = faults.map(\.words)
        }
        return told
    }
}

extension OperatorReply {
    /// As games are told: of other people no more than play needs.
    package var toldToGames: OperatorReply {
        var told = self
        told.peers = peers?.map(\.toldToGames)
        if let status {
            told.status?.peers = status.peers.map(\.toldToGames)
            for place in status.newcomers.indices { told.status?.newcomers[place].address = nil }
        }
        return told
    }
}
