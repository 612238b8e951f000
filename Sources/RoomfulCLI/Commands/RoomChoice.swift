import ArgumentParser
import OperatorFront
import Roomful

/// Which room is meant, on this machine or in a site, and how answers are printed.
struct RoomChoice: ParsableArguments {
    @Option(help: "Which room, where several run: its name; in a site also the beginning of its id.")
    var room: String?

    @Flag(help: "Not on this machine, but in a site: any of its rooms, wherever it is.")
    var site = false

    @OptionGroup(title: "A site, with --site") var place: SiteChoice

    @Flag(help: "Print JSON.")
    var json = false

    /// Whether a site is meant.
    var isAcrossSite: Bool { site || place.isGiven }

    func client() async throws -> any RoomOperator {
        if isAcrossSite { return try await SiteClient(try place.options(), room: room) }
        return try await OperatorClient(room: room)
    }
}
