import Foundation
import MotionScore
import Testing

@Suite("Score reports")
struct ScoreLineTests {
    @Test(
        "A figure is reached, as others, or missed: by what we want, and where it is less, by what others reach",
        arguments: [
            // F1 of 77.5 % where others have 100 and nobody said what we want: it was called reached.
            (77.5, 100, nil, false, ScoreLine.Verdict.missed), (100, 100, nil, false, .asOthers),
            (97, 93, 97, false, .reached), (96.9, 93, 97, false, .asOthers), (92.9, 93, 97, false, .missed),
            (2, nil, 2, false, .reached), (1.9, nil, 2, false, .missed), (100, 100, 100, false, .reached),
            (20, 36, 20, true, .reached), (20.1, 36, 20, true, .asOthers), (36.1, 36, 20, true, .missed),
            (1, nil, 2, true, .reached), (3, nil, 2, true, .missed), (5.1, 5, nil, true, .missed),
            (5, 5, nil, true, .asOthers),
        ] as [(Double, Double?, Double?, Bool, ScoreLine.Verdict)])
    func verdict(value: Double, parity: Double?, target: Double?, isCost: Bool, expected: ScoreLine.Verdict) throws {
        let line = ScoreLine("x", value, "%", parity: parity, target: target, isCost: isCost)
        #expect(line.verdict == expected)
        #expect(line.text.hasSuffix(": \(expected.rawValue))"), "\(line.text)")
    }

    @Test(
        "What only so little was recorded shows is perhaps reached: all of its interval has to be",
        arguments: [
            // Ten seconds of everyday motion without a false gesture, where one in five minutes was wanted.
            (0, nil, 0.2, true, 0...18, ScoreLine.Verdict.perhapsReached),
            (0, nil, 0.2, true, 0...0.2, .reached), (0, 0.5, nil, true, 0...1.5, .perhapsAsOthers),
            (0.3, 0.5, 0.2, true, 0.1...0.4, .asOthers), (0.3, 0.5, 0.2, true, 0.1...0.6, .perhapsAsOthers),
            (98, 93, 97, false, 95...100, .perhapsReached), (98, 93, 97, false, 97...100, .reached),
            (60, 70, 75, false, 50...80, .missed),
        ] as [(Double, Double?, Double?, Bool, ClosedRange<Double>, ScoreLine.Verdict)])
    func unsure(
        value: Double, parity: Double?, target: Double?, isCost: Bool, interval: ClosedRange<Double>,
        expected: ScoreLine.Verdict
    ) throws {
        let line = ScoreLine(
            "x", value, "%", parity: parity, target: target, isCost: isCost, interval: interval)
        #expect(line.verdict == expected)
        #expect(line.text.hasSuffix(": \(expected.rawValue))"), "\(line.text)")
        let json = String(decoding: try JSONEncoder().encode(line), as: UTF8.self)
        #expect(json.contains(#""verdict":"\#(expected.rawValue)""#))
    }

    @Test("What is no number was not missed: nothing was there", arguments: [Double.nan, .infinity])
    func none(value: Double) throws {
        let line = ScoreLine("F1", value, "%", parity: 93, target: 97)
        #expect(line.verdict == nil)
        let json = String(decoding: try JSONEncoder().encode(line), as: UTF8.self)
        #expect(json.contains(#""value":null"#) && !json.contains("verdict"))
    }

    @Test("What there is nothing to hold against has no verdict")
    func unknown() {
        #expect(ScoreLine("F1", 1, "%").verdict == nil)
        #expect(ScoreLine("F1", 1, "%").text == "F1: 1 %")
    }

    @Test("The JSON says it in the same words, and is read back")
    func json() throws {
        let line = ScoreLine("F1", 95, "%", parity: 93, target: 97)
        let json = try JSONEncoder().encode(line)
        #expect(String(decoding: json, as: UTF8.self).contains(#""verdict":"as others""#))
        #expect(try JSONDecoder().decode(ScoreLine.self, from: json) == line)
    }
}
