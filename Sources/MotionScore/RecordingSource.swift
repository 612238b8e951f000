import Foundation

/// Where a set of recordings can be had, and on what terms; `lab score` reads it in the form that Recordings/README.md
/// states.
package struct RecordingSource: Hashable, Sendable, Codable {
    /// Below the folder of recordings: `events/steps.csv`; a star stands for anything.
    package var files: String
    package var from: String
    package var licence: String

    package static let all = [
        RecordingSource(
            files: "orientation/broad_*.csv", from: "https://github.com/dlaidig/broad",
            licence: "CC BY 4.0 (Laidig, Caruso, Cereatti, Seel 2021, doi 10.3390/data6070072)"),
        RecordingSource(
            files: "orientation/golden_vqf6d_*.csv", from: "computed with vqf 2.1.2, https://github.com/dlaidig/vqf",
            licence: "CC BY 4.0 as derived from BROAD"),
        RecordingSource(
            files: "coremotion/ios_*.csv", from: "https://github.com/Sage-Bionetworks/mhealthtools",
            licence: "Apache-2.0"),
        RecordingSource(
            files: "events/sisfall_jumps.csv", from: "SisFall v1.0, Universidad de Antioquia (Sucerquia et al. 2017)",
            licence: "freely available for research: do not pass it on"),
        RecordingSource(
            files: "events/phone_freefall.csv",
            from: "https://github.com/fsaliby/Air_Resistance_From_the_Acceleration_of_a_Falling_Smartphone",
            licence: "CC0 1.0"),
        RecordingSource(
            files: "events/steps.csv", from: "https://github.com/Oxford-step-counter/DataSet", licence: "CC BY 4.0"),
        RecordingSource(
            files: "events/shakes.csv", from: "nowhere yet: record them in the form of Recordings/README.md",
            licence: "as who recorded them said"),
        RecordingSource(
            files: "events/everyday.csv", from: "nowhere yet: record it in the form of Recordings/README.md",
            licence: "as who recorded it said"),
        RecordingSource(
            files: "gestures/basicmotions.csv", from: "https://www.timeseriesclassification.com, BasicMotions",
            licence: "none stated: do not pass it on"),
        RecordingSource(
            files: "gestures/uwave8.csv", from: "https://www.timeseriesclassification.com, UWaveGestureLibrary",
            licence: "none stated: do not pass it on"),
        RecordingSource(
            files: "gestures/phone_digits.csv",
            from: "https://github.com/computersniper/Android-IMU-Digits-Gesture-Dataset",
            licence: "none stated: do not pass it on"),
        RecordingSource(
            files: "gestures/tennis_swings.csv", from: "https://github.com/JackPritchard7/SIoT_CW_Ace",
            licence: "none stated: do not pass it on"),
    ]

    /// Those of which no file is in the folder.
    static func missing(in folder: URL) -> [RecordingSource] {
        all.filter { source in
            let parts = source.files.split(separator: "/")
            guard parts.count == 2 else { return false }
            let pattern = parts[1].split(separator: "*", omittingEmptySubsequences: false)
            let prefix = pattern.first.map(String.init) ?? ""
            return !OrientationScore.files(in: folder.appending(path: String(parts[0])), prefix: prefix)
                .contains { pattern.count > 1 || $0 == parts[1] }
        }
    }
}
