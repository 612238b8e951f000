import Datagrams
import Foundation
import Roomful
import Testing
import WireProtocol

@testable import MotionFiles

/// Marsaglia's xorshift: texts that are the same in each run.
private struct Luck: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

@Suite("Recordings: read what others recorded")
struct RecordingReaderTests {
    private func read(_ text: String, _ selection: RecordingReader.Selection = .all) throws(RecordingError) -> Recording
    {
        try RecordingReader(selection: selection).read(text, named: "walk.csv")
    }

    private func error(_ text: String, _ selection: RecordingReader.Selection = .all) -> RecordingError? {
        do { _ = try read(text, selection) } catch { return error }
        return nil
    }

    @Test("Six axes with time in s, in any order of columns, with others ignored")
    func sixAxes() throws {
        let recording = try read(
            """
            t_s,gx,gy,gz,ax,ay,az,moving
            0.0105,1,2,3,0.1,0.2,9.8,0
            0.021,1,2,3,0.1,0.2,9.8,1

            """)
        #expect(recording.samples.count == 2)
        #expect(recording.samples[0].sampledAt == DeviceTime(nanoseconds: 10_500_000))
        #expect(recording.samples[1].rotationRate == SIMD3(1, 2, 3))
        #expect(recording.samples[1].acceleration == SIMD3(0.1, 0.2, 9.8))
        #expect(recording.declaration.measures == [.acceleration, .rotationRate])
        #expect(recording.declaration.nominalRate == 95.2)
        #expect(recording.declaration.problem == nil)
        #expect(recording.duration == .microseconds(10_500))
    }

    @Test("An attitude in every line is a measurement; one here and there is a reference and stays out")
    func attitude() throws {
        let header = "t_s,ax,ay,az,qw,qx,qy,qz\n"
        let whole = try read(header + "0,0,0,9.8,1,0,0,0\n0.01,0,0,9.8,0.8,0.6,0,0\n")
        #expect(whole.declaration.measures == [.acceleration, .attitude])
        #expect(whole.samples[1].attitude == SIMD4(0.8, 0.6, 0, 0))
        let partly = try read(header + "0,0,0,9.8,,,,\n0.01,0,0,9.8,0.8,0.6,0,0\n")
        #expect(partly.declaration.measures == [.acceleration])
        #expect(partly.samples.allSatisfy { $0.measures == [.acceleration] })
    }

    @Test("CoreMotion's columns become specific force: -(gravity + user) · 9.80665")
    func coreMotion() throws {
        let recording = try read(
            """
            t_s,rotx,roty,rotz,gravx,gravy,gravz,userx,usery,userz,attw,attx,atty,attz
            0,0.1,0.2,0.3,0,0,-1,0,0.5,0,1,0,0,0
            """)
        #expect(recording.declaration.measures == [.acceleration, .rotationRate, .attitude])
        #expect(recording.samples[0].acceleration.y == Float(-0.5 * standardGravity))
        #expect(recording.samples[0].acceleration.z == Float(standardGravity))
        #expect(recording.samples[0].rotationRate == SIMD3(0.1, 0.2, 0.3))
    }

    @Test(
        "A unit in the column's name is obeyed",
        arguments: ["ax_g,ay_g,az_g", "ax[g],ay[g],az[g]", "ax (g),ay (g),az (g)"])
    func units(columns: String) throws {
        let recording = try read("t_ms,\(columns),gx_dps,gy_dps,gz_dps\r\n0,0,0,1,180,0,0\r\n10,0,0,1,180,0,0\r\n")
        #expect(recording.samples[0].acceleration.z == Float(standardGravity))
        #expect(abs(recording.samples[0].rotationRate.x - .pi) < 1e-6)
        #expect(recording.samples[1].sampledAt == DeviceTime(nanoseconds: 10_000_000))
    }

    @Test("Lines and fields are found by bytes as they are by characters, whatever ends or surrounds them")
    func linesAndFields() {
        var random = Luck(state: 7)
        let pieces = ["\r", "\n", "\r\n", ",", " ", "\t", "1.5", "é", "\u{A0}", "a", ""]
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in pieces.randomElement(using: &random)! }
                .joined()
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            #expect(Array(TextLines(of: text)) == lines, "\(text.debugDescription)")
            for line in lines {
                let fields = line.split(separator: ",", omittingEmptySubsequences: false)
                    .map { $0.trimmingCharacters(in: .whitespaces) }
                #expect(SampleLineParser.fields(of: line).map(String.init) == fields, "\(line.debugDescription)")
            }
        }
    }

    @Test("Two pressures are a water sensor, one beside motion is an air's and ignored, and so is a temperature")
    func pressures() throws {
        let dive = try read("t_s,pressure_kPa,surfacePressure_hPa\n0,101.3,1013\n1,131,1013\n2,131,\n")
        #expect(dive.declaration.measures == .submersion)
        #expect(dive.samples.map(\.submersion.condition) == [.notSubmerged, .submerged, .unknown])
        #expect(dive.samples[1].submersion.surfacePressure == 101.3)
        let walk = try read("t_s,ax,ay,az,pressure_mmHg,temperature_F\n0,0,0,9.8,760,70\n0.01,0,0,9.8,760,70\n")
        #expect(walk.declaration.measures == .acceleration)
        #expect(error("t_s,pressure_kPa\n0,131\n")?.code == .missingColumns)
    }

    @Test("Of a file with several recordings one can be chosen, or the first ones joined with a pause")
    func takes() throws {
        let text = "rec,t_ms,ax,ay,az\na,0,0,0,9.8\na,10,0,0,9.8\nb,7000,1,0,9.8\nb,7010,1,0,9.8\nc,5,2,0,9.8\n"
        #expect(try read(text, .named("b")).samples.map(\.acceleration.x) == [1, 1])
        let both = try read(text, .first(2))
        #expect(both.name == "a+b")
        #expect(both.samples.map { $0.sampledAt.nanoseconds / 1_000_000 } == [0, 10, 510, 520])
        #expect(try read(text).samples.count == 5)
        #expect(error(text, .named("z"))?.code == .unknownRecording)
    }

    @Test(
        "What is wrong is said in one line, with file and line and what to do",
        arguments: [
            ("", RecordingError.Code.empty, "walk.csv"),
            ("t_s,ax,ay,az\n", .empty, "walk.csv"),
            ("time,ax,ay,az\n0,0,0,9.8\n", .missingColumns, "walk.csv:1"),
            ("t_s,ax,ay\n0,0,0\n", .missingColumns, "walk.csv:1"),
            ("t_s,gx,gy,gz\n0,0,0,0\n", .missingColumns, "walk.csv:1"),
            ("t_s,ax_ft,ay_ft,az_ft\n0,0,0,9.8\n", .unknownUnit, "walk.csv:1"),
            ("t_s,ax_g,ay,az_g\n0,0,0,1\n", .unknownUnit, "walk.csv:1"),
            ("t_s,ax,ay,az_g\n0,0,0,1\n", .unknownUnit, "walk.csv:1"),
            ("t_s,ax,ay,az\n0,0,0,9.8\n0.01,0,0\n", .brokenLine, "walk.csv:3"),
            ("t_s,ax,ay,az\n0,0,0,9.8\n0.01,0,\u{1B}[2J,9.8\n", .brokenLine, "walk.csv:3"),
            ("t_s,ax,ay,az\n0,0,0,9.8\n\n0.01,0,nan,9.8\n", .notFinite, "walk.csv:4"),
            ("t_s,ax,ay,az\n0,0,0,9.8\n0.01,inf,0,9.8\n", .notFinite, "walk.csv:3"),
            ("t_s,ax,ay,az\n0,0,0,9.8\n1e300,0,0,9.8\n", .notFinite, "walk.csv:3"),
            ("t_s,ax,ay,az\n0,0,0,9.8\n0.01,1e30,0,9.8\n", .notFinite, "walk.csv:3"),
            ("t_s,ax,ay,az\n0.02,0,0,9.8\n0.01,0,0,9.8\n", .timeRunsBackwards, "walk.csv:3"),
            ("t_s,ax,ay,az\n0,0,0,1\n0.01,0,0,1.01\n", .wrongUnits, "walk.csv:1"),
            ("t_s,ax_g,ay_g,az_g\n0,0,0,9.8\n0.01,0,0,9.8\n", .wrongUnits, "walk.csv:1"),
            ("t_s,ax,ay,az,gx,gy,gz\n0,0,0,9.8,0,0,0\n0.01,0,0,9.8,200,0,0\n", .wrongUnits, "walk.csv:1"),
        ])
    func problems(text: String, code: RecordingError.Code, location: String) throws {
        let found = try #require(error(text))
        #expect(found.code == code)
        #expect(found.location == location)
        #expect(found.description.hasPrefix("\(location): "))
        #expect(found.description.allSatisfy { !$0.isNewline && $0 != "\u{1B}" })
    }

    @Test("A file that is not there, or is no text, is said so")
    func unreadable() {
        #expect(throws: RecordingError.self) { try RecordingReader().read(path: "/nowhere/at all.csv") }
        do {
            _ = try RecordingReader().read(path: "/nowhere/at all.csv")
        } catch {
            #expect(error.code == .unreadable)
            #expect(error.location == "/nowhere/at all.csv")
        }
    }

    @Test(
        "Every recording of the repository can be replayed",
        arguments: [
            ("demo/drop", 200.0, 3_263), ("demo/tilt", 95.2, 1_619), ("demo/toss", 200, 3_166),
            ("coremotion/ios_balance", 100, 3_002), ("coremotion/ios_rest_tremor", 92.8, 862),
            ("events/phone_freefall", 200, 18_323), ("events/steps", 100, 12_778),
            ("orientation/broad_06_undisturbed_fast_rotation_A", 95.2, 18_793),
        ])
    func repository(name: String, rate: Double, count: Int) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Recordings")
        let recording = try RecordingReader().read(path: folder.appending(path: "\(name).csv").path)
        #expect(recording.samples.count == count)
        #expect(recording.declaration.nominalRate == rate)
        #expect(recording.declaration.problem == nil)
    }
}
