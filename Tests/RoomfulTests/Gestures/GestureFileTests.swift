import Foundation
import InputMerge
import MotionFiles
import Roomful
import Testing

@Suite("Gestures as a file")
struct GestureFileTests {
    private func problem(_ text: String) -> String? {
        do {
            _ = try GestureFile.parse(text, from: "g.toml")
            return nil
        } catch {
            #expect(error.code == .badOption)
            return error.message
        }
    }

    @Test("An empty file, and the example file, change nothing")
    func unchanged() throws {
        #expect(try GestureFile.parse("", from: "g.toml") == GestureDefinition.usual)
        #expect(try GestureFile.parse(GestureFile.example, from: "g.toml") == GestureDefinition.usual)
    }

    @Test("The paper's jump is watched for where its table stands, though it be empty")
    func paper() throws {
        let gestures = try GestureFile.parse("[keepcalm-jump]\n", from: "g.toml")
        #expect(gestures == GestureDefinition.usual + [.keepCalmJump])
        #expect(try GestureFile.read(repositoryPath("Examples/keepcalm.toml")) == gestures)
        // Where KeepCalm's own controllers play it is there, unless the file says otherwise.
        let old = try GestureFile.parse("[jump]\npush = 2", from: "g.toml", changing: GestureDefinition.all)
        #expect(old.contains { $0.kind == .keepCalmJump })
        let text = "[keepcalm-jump]\nenabled = false"
        let off = try GestureFile.parse(text, from: "g.toml", changing: GestureDefinition.all)
        #expect(off == GestureDefinition.usual)
    }

    @Test("GESTURES.md lists every key with its value, unit and range, as they are built in")
    func documented() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Documentation")
        let document = try String(contentsOf: folder.appending(path: "GESTURES.md"), encoding: .utf8)
        let listing = "```toml\n\(GestureFile.example)```\n"
        #expect(document.contains(listing), "between ```toml and ``` belongs:\n\(GestureFile.example)")
    }

    @Test("Only an axis may be written as a letter; elsewhere it is no number")
    func letters() {
        #expect(problem("[jump]\npush = \"x\"") == "g.toml: jump.push must be a number")
        #expect(
            problem("[keepcalm-jump]\naxis = \"w\"")
                == "g.toml: keepcalm-jump.axis must be a number (0, 1 or 2), or \"x\", \"y\" or \"z\"")
    }

    @Test("A yes or no is written as true or false, or as 1 or 0; nothing else is")
    func answers() throws {
        for (word, isOn) in [("true", true), ("false", false), ("1", true), ("0", false)] {
            let gestures = try GestureFile.parse(
                "[lean]\nlike = \"keepcalm-jump\"\nlowPassed = \(word)", from: "g.toml")
            #expect(gestures.last == GestureDefinition("lean", .threshold(ThresholdRule(lowPassed: isOn))))
        }
        #expect(
            problem("[keepcalm-jump]\nlowPassed = \"yes\"")
                == "g.toml: keepcalm-jump.lowPassed must be a number, or true or false")
        #expect(problem("[jump]\npush = true") == "g.toml: jump.push must be a number")
        #expect(problem("[keepcalm-jump]\naxis = true")?.contains("must be a number") == true)
    }

    @Test("A threshold is set, a gesture switched off, another one made like a known one")
    func changed() throws {
        let gestures = try GestureFile.parse(
            """
            [jump]
            push = 2
            refractory = 500
            [tap]
            enabled = false
            [keepcalm-jump]
            axis = "z"
            [hop]
            like = "jump"
            minimumFlight = 120.0
            """, from: "g.toml")
        var jump = JumpRule()
        jump.push = 2
        jump.refractory = .milliseconds(500)
        #expect(gestures.contains(GestureDefinition(.jump, .jump(jump))))
        #expect(!gestures.contains { $0.kind == .tap })
        #expect(gestures.contains(GestureDefinition(.keepCalmJump, .threshold(ThresholdRule(axis: .z)))))
        var hop = JumpRule()
        hop.minimumFlight = .milliseconds(120)
        #expect(gestures.dropFirst(GestureDefinition.usual.count - 1).contains(GestureDefinition("hop", .jump(hop))))
    }

    @Test(
        "What is wrong is told with file, key and range, or with what was probably meant",
        arguments: [
            ("[jump]\npush = 40", "g.toml: jump.push is 40.0 g, but must be 1.1 to 8.0 g"),
            ("[jump]\nrefractory = -1", "g.toml: jump.refractory is -1.0 ms, but must be 0.0 to 10000.0 ms"),
            ("[tilt]\nenter = nan", "g.toml: tilt.enter is nan °, but must be 10.0 to 170.0 °"),
            ("[jump]\npsuh = 2", "g.toml: jump has no \"psuh\"; did you mean \"push\"?"),
            ("[jump]\npush = \"hard\"", "g.toml: jump.push must be a number"),
            ("push = 2", "g.toml: \"push\" stands outside of a gesture; begin with [jump], say"),
        ])
    func wrong(text: String, message: String) {
        #expect(problem(text) == message)
    }

    @Test(
        "A header without a name is refused with its line; TOML's own reader would end the program",
        arguments: [
            ("[.jump]", 1), ("[é]", 1), ("[[ = ]]", 1), ("[\n]", 1), ("s = \"\"\"\n[.]\n\"\"\"\n[.x]", 4),
            ("[jump]\n[+]", 2), ("a = [\n[1]]\n[,]", 3),
        ])
    func nameless(_ text: String, _ line: Int) {
        #expect(problem(text) == "g.toml:\(line): a gesture begins with its name, as in [jump]")
    }

    @Test("Brackets in texts, comments and arrays are no headers", arguments: ["# [.x]", "s = '[.x]'", "a = [\n[\n]]"])
    func noHeaders(_ text: String) {
        #expect(problem(text)?.contains("begins with its name") != true)
    }

    @Test(
        "A date without its time ends no program", arguments: ["T;07:32:00Z", "t:", " ;07:32", "T\u{e9}"])
    func dates(rest: String) {
        #expect(problem("[jump]\npush = 1979-05-27\(rest)") == "g.toml:2: no key takes a date")
        #expect(problem("[jump]\npush = [1, 1979-05-27\(rest)]") == "g.toml:2: no key takes a date")
        // In a comment, or a text, it is one.
        #expect(problem("[jump]\npush = 2 # 1979-05-27\(rest)") == nil)
        #expect(problem("[jump]\nlike = '1979-05-27\(rest)'")?.contains("takes a date") == false)
    }

    @Test(
        "What looks like a date before one digit ends no program",
        arguments: ["1979-05-27 9\n", "0990-01-ce 9,", "1979-05-2\u{e9} 9 ", "19_79-05-2_7 0#", "[1979-05-27 9]"])
    func datesBeforeDigits(value: String) {
        #expect(problem("[jump]\npush = \(value)") == "g.toml:2: no key takes a date")
        #expect(problem("[jump]\npush = 2 # \(value)") == nil)
    }

    @Test(
        "A list that a brace closes is an error of its line; one that holds braces is not",
        arguments: ["[}", "[1, }", "[\n\n}", "[{ a = 1 }, }", "[1 # ]\n, }", "[[1], [}]"])
    func bracesInLists(value: String) {
        #expect(problem("[jump]\npush = \(value)")?.contains("a list that [ begins ends with ]") == true)
        #expect(problem("[jump]\npush = [{ a = [1, 2] }, \"}\"]")?.contains("ends with ]") != true)
    }

    @Test(
        "What stands behind a long text that ends in its own quote is looked at, too",
        arguments: ["[\"\"\"a\"\"\"\", }", "['''a'''', }", "['''a''''', 1979-05-27 9]"])
    func quotesAtTheEnd(value: String) {
        #expect(problem("[jump]\npush = \(value)")?.hasPrefix("g.toml:2: ") == true)
    }

    @Test("A key of thousands of parts ends no program; numbers in a list are no parts of one")
    func deepKeys() {
        let deep = "a" + String(repeating: ".a", count: 30_000)
        #expect(problem(deep + " = 1") == "g.toml:1: no key has so many parts")
        #expect(problem("[\(deep)]") == "g.toml:1: no key has so many parts")
        let many = String(repeating: "1.5, ", count: 200)
        #expect(problem("[jump]\npush = [\(many)]") == "g.toml: jump.push must be a number")
    }

    @Test("A switch says true or false, and of a gesture that there is")
    func switches() {
        #expect(problem("[jump]\nenabled = 0") == "g.toml: jump.enabled must be true or false")
        #expect(problem("[jump]\nenabled = \"false\"") == "g.toml: jump.enabled must be true or false")
        #expect(problem("[jmup]\nenabled = false")?.contains("did you mean \"jump\"?") == true)
        #expect(problem("[hop]\nlike = \"jump\"\nenabled = false") == nil)
    }

    @Test("An unknown gesture names the nearest, a broken file its line, an absent one its path")
    func unknown() {
        #expect(problem("[shaek]\nthreshold = 2")?.contains("did you mean \"shake\"?") == true)
        #expect(problem("[jump]\npush = = 2")?.hasPrefix("g.toml:2:") == true)
        #expect(problem("[keepcalm-jump]\nenter = 0.3")?.contains("keepcalm-jump: exit is 0.2") == true)
        #expect(throws: RoomError.self) { try GestureFile.read("/nowhere/g.toml") }
    }

    @Test("A pipe that nobody writes to, an endless file, a folder and no text are refused at once, by a sentence")
    func odd() throws {
        let house = try TestHouse()
        defer { house.remove() }
        let (pipe, noise) = (house.folder + "/pipe", house.folder + "/noise")
        #expect(mkfifo(pipe, 0o600) == 0)
        try Data([0xFF, 0xFE, 0x00]).write(to: URL(filePath: noise))
        for path in [pipe, "/dev/zero", house.folder, noise] {
            #expect {
                _ = try GestureFile.read(path)
            } throws: {
                "\($0)".contains("cannot take \(path): it must be a file")
            }
        }
    }
}
