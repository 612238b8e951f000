#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import WireProtocol

/// Reads recordings from CSV files whose header names columns and units (see `SampleColumns` for the forms).
///
/// The sample times are those of the file. An attitude column is used only where every line has one: a column that is
/// filled here and there is a reference to compare with, not a measurement.
public struct RecordingReader: Hashable, Sendable {
    /// Which recordings of a file with a `rec` or `gid` column are read.
    public enum Selection: Hashable, Sendable {
        /// The one of this name.
        case named(String)
        /// The first so many, one after another, with half a second of silence between them: what a recording
        /// begins with does not continue what another one ended with.
        case first(Int)
        /// All of them, in the same way.
        case all
    }

    package static let pause = Duration.milliseconds(500)

    /// Which recordings of a file are wanted.
    public var selection: Selection

    /// - Parameter selection: which recordings of a file are wanted.
    public init(selection: Selection = .all) { self.selection = selection }

    /// - Throws: a ``RecordingError`` that names file and line.
    public func read(path: String) throws(RecordingError) -> Recording {
        let text: String
        do {
            let bytes = try Data(contentsOf: URL(filePath: path))
            guard let decoded = String(data: bytes, encoding: .utf8) else {
                throw RecordingError(.unreadable, at: path, "not a text in UTF-8: is this the CSV file?")
            }
            text = decoded
        } catch let error as RecordingError {
            throw error
        } catch {
            throw RecordingError(.unreadable, at: path, "cannot be read: check that it exists and may be read")
        }
        return try read(text, named: path)
    }

    /// - Parameter name: of the file, for errors.
    /// - Throws: a ``RecordingError`` that names file and line.
    public func read(_ text: String, named name: String) throws(RecordingError) -> Recording {
        var lines = TextLines(of: text)
        guard let header = lines.next(), !header.isBlank else {
            throw RecordingError(.empty, at: name, "the file is empty: expected a header line such as t_s,ax,ay,az")
        }
        let columns: SampleColumns
        do { columns = try SampleColumns(header: header) } catch { throw error.at("\(name):1") }

        var takes = Takes(selection: selection)
        for (number, line) in zip(2..., lines) where !line.isBlank {
            let fields = SampleLineParser.fields(of: line)
            let take = columns.recording.flatMap { $0 < fields.count ? fields[$0] : nil } ?? ""
            guard takes.wants(take) else { continue }
            do { try takes.append(columns.sample(fields), of: take) } catch { throw error.at("\(name):\(number)") }
        }
        guard !takes.samples.isEmpty else { throw takes.nothingFound(in: name) }
        let measures = takes.samples.reduce(Sample.Measures.known) { $0.intersection($1.measures) }
        let samples = takes.samples.map { $0.measuring(measures) }
        try UnitCheck(samples).verify(isCoreMotion: columns.isCoreMotion, location: name)
        let takeNames = takes.names.filter { !$0.isEmpty }
        return Recording(
            name: takeNames.isEmpty ? name : takeNames.joined(separator: "+"), samples: samples,
            declaration: StreamDeclaration(fitting: samples))
    }
}

/// The recordings that are wanted of a file, put one after another.
private struct Takes {
    let selection: RecordingReader.Selection
    private(set) var names: [String] = []
    private(set) var samples: [Sample] = []
    /// Added to the times of the current recording so that it follows the one before.
    private var shift = Duration.zero

    init(selection: RecordingReader.Selection) { self.selection = selection }

    func wants(_ take: Substring) -> Bool {
        switch selection {
        case .named(let name): name == take
        case .first(let count): names.count < count || names.last.map { $0 == take } ?? false
        case .all: true
        }
    }

    mutating func append(_ sample: Sample, of take: Substring) throws(RecordingError) {
        var sample = sample
        if names.last.map({ $0 != take }) ?? true {
            names.append(String(take))
            if let last = samples.last {
                shift = last.sampledAt + RecordingReader.pause - sample.sampledAt
            }
        }
        sample.sampledAt = sample.sampledAt + shift
        if let last = samples.last, sample.sampledAt <= last.sampledAt {
            let step = (sample.sampledAt - last.sampledAt).milliseconds
            throw RecordingError(
                .timeRunsBackwards, "the time moves by \(step) ms: sort the lines by time and remove repeated ones")
        }
        samples.append(sample)
    }

    func nothingFound(in file: String) -> RecordingError {
        if case .named(let name) = selection {
            return RecordingError(.unknownRecording, at: file, "there is no recording \(quoted(name)) in this file")
        }
        return RecordingError(.empty, at: file, "there is a header, but no sample")
    }
}

private func medianInterval(_ samples: [Sample]) -> Duration {
    let steps = zip(samples, samples.dropFirst()).map { $1.sampledAt - $0.sampledAt }.sorted()
    return steps.isEmpty ? .milliseconds(10) : steps[steps.count / 2]
}

extension StreamDeclaration {
    /// What a sensor must declare to have given these samples: ±16 g and ±2,000 °/s unless they exceed it.
    fileprivate init(fitting samples: [Sample]) {
        self.init(measures: samples.first?.measures ?? [])
        let interval = Double(medianInterval(samples).wholeNanoseconds) / 1e9
        nominalRate = min(max((1 / interval * 10).rounded() / 10, 0.1), 4_000)
        for sample in samples {
            accelerationRange = max(accelerationRange, Double(sample.acceleration.abs.max()).rounded(.up))
            rotationRange = max(rotationRange, Double(sample.rotationRate.abs.max()).rounded(.up))
        }
        accelerationRange = min(accelerationRange, 10_000)
        rotationRange = min(rotationRange, 1_000)
    }
}

extension Sample {
    /// This sample with only these parts.
    func measuring(_ measures: Measures) -> Sample {
        var sample = self
        sample.measures = self.measures.intersection(measures)
        if !sample.measures.contains(.attitude) { sample.attitude = SIMD4(1, 0, 0, 0) }
        if !sample.measures.contains(.submersion) { sample.submersion = Submersion() }
        if !sample.measures.contains(.buttons) { sample.buttons = 0 }
        if !sample.measures.contains(.battery) { sample.battery = 0 }
        return sample
    }
}

extension SIMD3<Float> {
    var abs: Self { Self(x.magnitude, y.magnitude, z.magnitude) }
}
