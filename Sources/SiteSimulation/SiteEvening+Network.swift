import HeapModule
import LinkEmulation
import RoomOwnership

/// What is on its way, and what becomes of it.
extension SiteEvening {
    mutating func toLog(_ body: SiteMessage.Body, from place: Int) {
        guard !hosts[place].isUplinkCut else { return report.note("lost in a cut") }
        send(body, of: place, life: hosts[place].life)
    }

    /// To a host: from the log, or from another host past it.
    mutating func tell(_ place: Int, _ input: OwnershipInput, isByFan: Bool = false, from sender: Int? = nil) {
        if case .heard = input, hosts[place].isFeedCut { return }
        let isCut = isByFan ? hosts[place].isFanCut || !isBrokerUp : hosts[place].isDownlinkCut
        guard !isCut, sender.map({ !hosts[$0].isFanCut }) ?? true else { return }
        send(.input(input), of: place, life: hosts[place].life)
    }

    private mutating func send(_ body: SiteMessage.Body, of place: Int, life: UInt64) {
        let line = lines[place]
        let copies = random.chance(line.loss) ? 0 : random.chance(line.doubling) ? 2 : 1
        if copies != 1 { report.note(copies == 0 ? "messages lost" : "messages doubled") }
        for _ in 0..<copies {
            serial += 1
            let writes: Moment = if case .append = body { plan.writing } else { 0 }
            messages.insert(
                SiteMessage(
                    arrivesAt: now + 1 + line.draw(&random) + writes, serial: serial, host: place, life: life,
                    body: body))
        }
    }

    mutating func deliver(_ message: SiteMessage) {
        switch message.body {
        case .append(let request):
            guard isBrokerUp else { return }
            append(request, of: message)
        case .question(let question):
            guard isBrokerUp else { return }
            answer(.read(log.read(question, for: message.host)), to: message)
        case .input(let input):
            guard hosts[message.host].life == message.life else { return }
            switch hosts[message.host].power {
            case .running: turn(message.host, input)
            // A socket's buffer has an end, too.
            case .stopped: if hosts[message.host].inbox.count < 500 { hosts[message.host].inbox.append(input) }
            case .off: break
            }
        }
    }

    private mutating func append(_ request: AppendRequest, of message: SiteMessage) {
        let (answer, entry, told) = log.append(request, from: message.host)
        if let entry {
            report.note("records")
            logLaw.appended(entry, isSplit: log.isSplit, now, &report)
            for byte in entry.bytes.prefix(64) { report.mix(UInt64(byte)) }
            spread(entry, to: told)
        } else if case .refused = answer {
            report.note("refused")
        }
        self.answer(.answered(request.id, answer), to: message)
    }

    mutating func spread(_ entry: LogEntry, to places: [Int]? = nil) {
        for place in places ?? Array(hosts.indices) { tell(place, .heard(entry)) }
    }

    /// To the run of the program that asked.
    private mutating func answer(_ input: OwnershipInput, to message: SiteMessage) {
        guard hosts[message.host].life == message.life else { return }
        tell(message.host, input)
    }
}
