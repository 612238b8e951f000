import Testing
import WireProtocol

@testable import Identity
@testable import RoomServer
@testable import Roomful

@Suite("Pin, room id and admission code")
struct PinAndCodeTests {
    @Test("A pin is 64 digits, and is read as people paste it")
    func pinText() throws {
        let pin = try #require(Pin(bytes: UInt8(0)..<32))
        #expect(pin.description == "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")
        #expect(pin.short == "0001-0203-0405-0607")
        #expect(Pin(pin.description) == pin)
        #expect(Pin(pin.description.uppercased()) == pin)
        #expect(Pin("0001:0203 0405-" + pin.description.dropFirst(12)) == pin)
    }

    @Test(
        "What is no pin is refused",
        arguments: [
            "", "00", String(repeating: "0", count: 63), String(repeating: "0", count: 66),
            String(repeating: "g", count: 64), String(repeating: "٠", count: 64),
            "+" + String(repeating: "0", count: 63),
            String(repeating: " ", count: 1_000_000),
        ])
    func noPin(text: String) {
        #expect(Pin(text) == nil)
    }

    @Test("A room's id is 32 digits, and two are never the same")
    func roomID() {
        let id = RoomID.random()
        #expect(RoomID(id.description) == id)
        #expect(RoomID(id.description + "0") == nil)
        #expect(RoomID("00112233445566778899aabbccddeefg") == nil)
        #expect(RoomID.random() != id)
    }

    @Test("A code has 40 random bits: each of its eight digits takes each of its 32 values")
    func codeBits() {
        var generator = SplitMix64(seed: 1)
        var seen = Array(repeating: Set<Character>(), count: 9)
        for _ in 0..<2_000 {
            for (place, character) in AdmissionCode(drawing: &generator).text.enumerated() {
                seen[place].insert(character)
            }
        }
        #expect(seen.map(\.count) == [32, 32, 32, 32, 1, 32, 32, 32, 32])
        #expect(AdmissionCode.random() != AdmissionCode.random())
    }

    @Test(
        "A code is read as people type it, on whatever keyboard",
        arguments: [
            "7KQM-2X90", "7kqm2x9o", " 7KQM 2X9O\n", "7-k-q-m 2x9O", "７ＫＱＭー２ｘ９０", "７KQM－２X９Ｏ", "۷KQM–۲X۹۰", "٧KQM−٢X٩٠",
        ])
    func typed(text: String) throws {
        #expect(try #require(AdmissionCode(text)).text == "7KQM-2X90")
    }

    @Test("I and L count as 1")
    func confusable() {
        #expect(AdmissionCode("IL1i-lLIL")?.text == "1111-1111")
    }

    @Test(
        "What is no code is refused",
        arguments: [
            "", "7KQM-2X9", "7KQM-2X9DD", "7KQM-2X9U", "7KQM-2X9é", "7KQM_2X9D", String(repeating: "-", count: 9_999),
        ])
    func noCode(text: String) {
        #expect(AdmissionCode(text) == nil)
    }

    @Test("Codes are equal only in all eight digits")
    func equality() throws {
        let code = try #require(AdmissionCode("00000000"))
        for place in 0..<8 {
            var digits = Array("00000000")
            digits[place] = "Z"
            #expect(try #require(AdmissionCode(String(digits))) != code)
        }
        #expect(AdmissionCode("oooo-oooo") == code)
    }

    @Test("A room is given the code that people type; one to scan in its place would admit nobody")
    func ownCode() {
        var options = RoomOptions(name: "Room")
        options.code = .random()
        #expect(options.problem == nil)
        options.code = .randomToScan()
        #expect(options.problem?.contains("eight digits") == true)
    }

    @Test("A code that is printed by accident shows nothing")
    func hidden() throws {
        let code = try #require(AdmissionCode("7KQM-2X9D"))
        var dumped = ""
        dump(code, to: &dumped)
        for text in ["\(code)", String(describing: code), String(reflecting: code), String(reflecting: [code]), dumped]
        {
            #expect(!text.contains("7") && !text.contains("20"))
        }
    }
}
