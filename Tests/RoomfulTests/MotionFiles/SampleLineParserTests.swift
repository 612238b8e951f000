import Datagrams
import MotionFiles
import Roomful
import Testing
import WireProtocol

@Suite("Samples, one a line: any program can be a controller")
struct SampleLineParserTests {
    private let now = DeviceTime(nanoseconds: 77)

    /// The code of the error that the last line gives, or `nil`.
    private func code(_ lines: String...) -> RecordingError.Code? {
        var parser = SampleLineParser()
        var code: RecordingError.Code?
        for line in lines {
            do {
                _ = try parser.parse(line, now: now)
                code = nil
            } catch {
                code = error.code
            }
        }
        return code
    }

    @Test("CSV without a header: time, acceleration, then rotation rate and attitude if there are as many fields")
    func csv() throws {
        var parser = SampleLineParser()
        let first = try #require(try parser.parse("1.5, 0.1,0.2,9.8, 1,2,3", now: now))
        #expect(first.sampledAt == DeviceTime(nanoseconds: 1_500_000_000))
        #expect(first.acceleration == SIMD3(0.1, 0.2, 9.8))
        #expect(first.rotationRate == SIMD3(1, 2, 3))
        #expect(first.measures == [.acceleration, .rotationRate])
        #expect(parser.measures == first.measures)
        var long = SampleLineParser()
        #expect(try long.parse("0,0,0,9.8,0,0,0,0.8,0.6,0,0", now: now)?.attitude == SIMD4(0.8, 0.6, 0, 0))
        var short = SampleLineParser()
        #expect(try short.parse("0,0,0,9.8", now: now)?.measures == [.acceleration])
    }

    @Test("A header line may name other columns and units")
    func header() throws {
        var parser = SampleLineParser()
        #expect(try parser.parse("gx_dps,gy_dps,gz_dps,t_ms,ax_g,ay_g,az_g", now: now) == nil)
        let sample = try #require(try parser.parse("180,0,0,5,0,0,1", now: now))
        #expect(sample.sampledAt == DeviceTime(nanoseconds: 5_000_000))
        #expect(sample.acceleration.z == Float(standardGravity))
    }

    @Test("JSON with and without a time; other keys are ignored")
    func json() throws {
        var parser = SampleLineParser()
        let line = #" {"acceleration":[0,0,9.8],"rotationRate":[0,0,1],"attitude":[1,0,0,0],"note":"hi"}"#
        let stamped = try #require(try parser.parse(line, now: now))
        #expect(stamped.sampledAt == now)
        #expect(stamped.measures == [.acceleration, .rotationRate, .attitude])
        let timed = try #require(
            try parser.parse(
                #"{"t":1.23,"acceleration":[1,0,9.8],"rotationRate":[0,0,1],"attitude":[1,0,0,0]}"#, now: now))
        #expect(timed.sampledAt == DeviceTime(nanoseconds: 1_230_000_000))
    }

    @Test("Buttons are held where a line says so, and the charge holds until another is said")
    func buttons() throws {
        var parser = SampleLineParser()
        let first = #"{"t":1,"acceleration":[0,0,9.8],"buttons":["free-fall","jump"],"battery":83.6}"#
        let held = try #require(try parser.parse(first, now: now))
        #expect(parser.buttonGestures.prefix(2) == ["jump", "free-fall"] && held.buttons == 3 && held.battery == 84)
        let released = try #require(try parser.parse(#"{"t":2,"acceleration":[0,0,9.8]}"#, now: now))
        #expect(released.buttons == 0 && released.battery == 84 && released.measures == held.measures)
        #expect(throws: RecordingError.self) {
            var other = parser
            _ = try other.parse(#"{"t":3,"acceleration":[0,0,9.8],"buttons":["jmp"],"battery":7}"#, now: now)
        }
        #expect(code(first, #"{"t":2,"acceleration":[0,0,9.8],"battery":101}"#) == .brokenLine)
        #expect(code(first, #"{"t":2,"acceleration":[0,0,9.8],"buttons":1}"#) == .brokenLine)
        #expect(code(#"{"battery":50}"#) == .missingColumns)
        #expect(code(#"{"t":1,"buttons":[]}"#, #"{"t":2,"buttons":["shake"]}"#) == nil)
    }

    @Test("Buttons that were named are there from the first line; what it lacks else is left out, and known to be")
    func namedButtons() throws {
        var parser = SampleLineParser(buttonGestures: ["lean", "*"])
        let first = try #require(try parser.parse(#"{"t":1,"acceleration":[0,0,9.8]}"#, now: now))
        #expect(first.measures == [.acceleration, .buttons] && first.buttons == 0 && parser.leftOut.isEmpty)
        let line = #"{"t":2,"acceleration":[0,0,9.8],"buttons":["*"],"battery":50}"#
        let next = try #require(try parser.parse(line, now: now))
        #expect(next.measures == first.measures && next.buttons == 2 && next.battery == 0)
        #expect(parser.leftOut == .battery)
    }

    @Test(
        "Water of which the pressures alone are known is under them or not; one pressure says nothing, and a word goes before"
    )
    func pressures() throws {
        func water(_ keys: String) throws -> Submersion {
            var parser = SampleLineParser()
            return try #require(try parser.parse("{\"submersion\":{\(keys)}}", now: now)).submersion
        }
        let deep = try water("\"pressure\":131,\"surfacePressure\":101.3,\"temperature\":12")
        #expect(deep == Submersion(.submerged, pressure: 131, surfacePressure: 101.3, temperature: 12))
        #expect(try water("\"pressure\":101.35,\"surfacePressure\":101.3").condition == .notSubmerged)
        #expect(try water("\"pressure\":131").condition == .unknown)
        #expect(try water("\"pressure\":131,\"surfacePressure\":101.3,\"depth\":0").condition == .notSubmerged)
        let word = "\"condition\":\"sensorDepthError\",\"pressure\":131,\"surfacePressure\":101.3"
        #expect(try water(word).condition == .sensorDepthError)
    }

    @Test("A bad line is refused by name")
    func badLines() {
        #expect(code("0,0,0") == .brokenLine)
        #expect(code("0,0,0,9.8,0,0,0", "1,0,zero,9.8,0,0,0") == .brokenLine)
        #expect(code("0,0,0,9.8,0,0,0", "1,0,0,9.8") == .brokenLine)
        #expect(code("0,0,0,9.8,0,0,0", "hello") == .brokenLine)
        #expect(code("hello") == .missingColumns)
        #expect(code("0,nan,0,9.8,0,0,0") == .notFinite)
        #expect(code(#"{"t":1e300,"acceleration":[0,0,9.8]}"#) == .notFinite)
        #expect(code(#"{"t":1,"acceleration":[0,9.8]}"#) == .brokenLine)
        #expect(code(#"{"t":1,"acceleration":[0,0,1e200]}"#) == .notFinite)
        #expect(code(#"{"t":1}"#) == .missingColumns)
        #expect(code(#"{"t":1,"acceleration""#) == .brokenLine)
        let whole = #"{"acceleration":[0,0,9.8],"rotationRate":[0,0,1]}"#
        #expect(code(whole, #"{"t":1,"acceleration":[0,0,9.8]}"#) == .missingColumns)
        #expect(code("5,0,0,9.8", "5,0,0,9.8") == .timeRunsBackwards)
        #expect(code("5,0,0,9.8", "4.001,0,0,9.8") == .timeRunsBackwards)
        #expect(code(String(repeating: "1", count: 5_000)) == .brokenLine)
    }

    @Test("After a bad line the stream goes on as if it had not been there")
    func goesOn() throws {
        var parser = SampleLineParser()
        #expect(try parser.parse("1,0,0,9.8", now: now) != nil)
        #expect(throws: RecordingError.self) { try parser.parse("9,0,0,broken", now: now) }
        #expect(try parser.parse("", now: now) == nil)
        #expect(try parser.parse("2,0,0,9.8\r", now: now)?.sampledAt == DeviceTime(nanoseconds: 2_000_000_000))
    }

    @Test("A sensor whose clock is set back by a second or more goes on; its times are in order from there")
    func setBack() {
        #expect(code("5,0,0,9.8", "4,0,0,9.8") == nil)
        #expect(code("5,0,0,9.8", "-1e6,0,0,9.8", "-999999,0,0,9.8") == nil)
        #expect(code("5,0,0,9.8", "1,0,0,9.8", "0.99,0,0,9.8") == .timeRunsBackwards)
    }

    @Test("A bad first line decides nothing of those that follow")
    func badBeginning() throws {
        var parser = SampleLineParser()
        #expect(throws: RecordingError.self) { try parser.parse("1,0,0,broken", now: now) }
        #expect(try parser.parse("2,0,0,9.8,0,0,1", now: now)?.rotationRate == SIMD3(0, 0, 1))
        #expect(code("2,0,0,9.8,0,0,1", "3,0,0,9.8") == .brokenLine)
    }
}
