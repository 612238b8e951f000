import WireProtocol

/// What those are told who are not let in.
extension Coordinator {
    static let locked = Refusal(.locked, message: "The room is locked: nobody new is let in now.", retryAfter: 10_000)

    /// To the controller itself.
    static let removed = Refusal(.kicked, message: "The operator removed this controller from the room.")

    /// To whoever invites one that was.
    static let keptOut = Refusal(.kicked, message: "It was removed from the room, and stays out until: roomful unlock.")

    /// Ids can be read by others: under one that waits here already, nobody takes its place without a proof.
    static let waitsAlready = Refusal(
        .alreadySeated, message: "This controller waits here already, and did not prove that it is the same.",
        retryAfter: Int(patienceInQueue.wholeNanoseconds / 1_000_000))

    static let tooManyWait = Refusal(.full, message: "Too many are waiting for a seat.", retryAfter: 30_000)

    static let tooManyAsk = Refusal(.full, message: "Too many are waiting for the operator.", retryAfter: 10_000)

    var allTaken: Refusal { Refusal(.full, message: "\(allSeats) taken.", retryAfter: 10_000) }

    var allTakenOrPromised: Refusal {
        Refusal(.full, message: "\(allSeats) taken or promised.", retryAfter: 10_000)
    }

    /// The beginning of a sentence.
    private var allSeats: String {
        configuration.seats == 1 ? "The only seat is" : "All \(configuration.seats) seats are"
    }

    /// Of a room that says its goodbyes.
    var closing: Refusal { Refusal(.closing, message: "The room is closing.", retryAfter: backIn) }
}
