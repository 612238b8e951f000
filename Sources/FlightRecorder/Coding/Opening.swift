package import RoomEngine
package import SessionCoordinator
package import WireProtocol

/// Everything that a room's engine began with: with it and what came after, the evening can be played again.
package struct Opening: Hashable, Sendable {
    /// The version of the tape's format; a reader refuses a newer one in words.
    package static let version: UInt16 = 1

    /// What a player had taught when it began.
    package struct Talent: Hashable, Sendable {
        package var controller: ControllerID
        package var talents: PlayerTalents
        package init(controller: ControllerID, talents: PlayerTalents) {
            self.controller = controller
            self.talents = talents
        }
    }

    package var configuration: EngineConfiguration
    package var leases: [Lease]
    package var talents: [Talent]
    /// The engine's first moment.
    package var now: HostTime
    /// What events count from.
    package var openedAt: HostTime
    /// The wall clock at ``openedAt``, in ns since 1970, as it went when the recording began.
    package var wallClock: Int64
    package var room: String
    /// Of the program, the compiler, the processor.
    package var program: String
    package var compiler: String
    package var architecture: String
    /// The number of the evening's first event less one.
    package var eventNumber: UInt64
    /// The tape began with the room; else it begins with how everyone stood then (``TapeEntry/stands(_:)``), and is not
    /// exact.
    package var isFromTheStart: Bool
    /// Whom the room kept out when it began, as its operator had removed them before its host restarted.
    package var banned: [ControllerID] = []

    package init(
        configuration: EngineConfiguration, leases: [Lease] = [], talents: [Talent] = [], now: HostTime,
        openedAt: HostTime, wallClock: Int64, room: String = "", program: String = "", compiler: String = "",
        architecture: String = "", eventNumber: UInt64 = 0, isFromTheStart: Bool = true
    ) {
        self.configuration = configuration
        self.leases = leases
        self.talents = talents
        self.now = now
        self.openedAt = openedAt
        self.wallClock = wallClock
        self.room = room
        self.program = program
        self.compiler = compiler
        self.architecture = architecture
        self.eventNumber = eventNumber
        self.isFromTheStart = isFromTheStart
    }

    /// The wall clock when the recording began, in ns since 1970.
    package var wallClockAtStart: Int64 {
        wallClock.addingReportingOverflow((now - openedAt).wholeNanoseconds).partialValue
    }

    package var seats: Int { configuration.room.seats }

    package var bytes: [UInt8] {
        TapePen.bytes { pen in
            pen.fixed(Self.version)
            pen.put(configuration.room)
            pen.put(configuration.merge)
            pen.put(configuration.answersGesturesWithHaptics)
            pen.put(leases)
            pen.number(UInt64(talents.count))
            for talent in talents {
                pen.put(talent.controller)
                pen.put(talent.talents)
            }
            pen.put(now)
            pen.put(openedAt)
            pen.signed(wallClock)
            pen.put(room)
            pen.put(program)
            pen.put(compiler)
            pen.put(architecture)
            pen.number(eventNumber)
            pen.put(isFromTheStart)
            pen.put(configuration.localGestures)
            // Most rooms' tapes are as they were before this was kept.
            if !banned.isEmpty { pen.put(banned) }
        }
    }

    package init(reading bytes: [UInt8]) throws(TapeError) {
        var tape = TapeReader(bytes)
        let version: UInt16 = try tape.fixed()
        guard version == Self.version else {
            throw TapeError(
                "it was recorded in version \(version) of the tape's format, and this program reads version "
                    + "\(Self.version): play it with another version of roomful")
        }
        configuration = EngineConfiguration(
            room: try tape.take(), merge: try tape.take(), answersGesturesWithHaptics: try tape.take())
        leases = try tape.takeList()
        talents = []
        for _ in 0..<(try tape.number()) {
            talents.append(Talent(controller: try tape.take(), talents: try tape.take()))
        }
        now = try tape.take()
        openedAt = try tape.take()
        wallClock = try tape.signed()
        room = try tape.take()
        program = try tape.take()
        compiler = try tape.take()
        architecture = try tape.take()
        eventNumber = try tape.number()
        isFromTheStart = try tape.take()
        if !tape.isAtEnd { configuration.localGestures = try tape.takeList() }
        if !tape.isAtEnd { banned = try tape.takeList() }
        if let problem = configuration.problem(ofLocal: configuration.localGestures) {
            throw .unusable(problem)
        }
    }

    /// The room as it stood then; in the middle of an evening a room without anybody, until the tape says who was there.
    package func makeEngine() -> Engine {
        var kept: [ControllerID: PlayerTalents] = [:]
        for talent in talents { kept[talent.controller] = talent.talents }
        var engine = Engine(
            configuration: configuration, leases: isFromTheStart ? leases : [], talents: kept, now: now)
        engine.keepOut(banned)
        return engine
    }
}
