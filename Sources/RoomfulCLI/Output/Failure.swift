import ArgumentParser
import Foundation
import Identity
import OperatorFront
import Roomful
import SiteBroker
import WireProtocol

/// How a command ends badly: one line on standard error that says what to do, and an exit code that says which kind.
enum Failure {
    /// Refused, or not found.
    static let refused = ExitCode(1)
    /// Used wrongly.
    static let usage = ExitCode(2)
    /// Cannot be reached.
    static let unreachable = ExitCode(3)

    /// What is wrong with one of the rooms that a file describes.
    struct OfRoom: Error, CustomStringConvertible {
        let room: String
        let problem: any Error

        /// What is a flag elsewhere is a key there.
        var description: String { "\"\(room)\": " + "\(problem)".replacing("--state", with: "the key state") }
    }

    /// Runs a command, and turns what it throws into a line and an exit code.
    static func explained(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let code as ExitCode {
            throw code
        } catch is CancellationError {
            throw ExitCode.success
        } catch {
            say("\(error)")
            throw code(of: error)
        }
    }

    /// The same for an error that nobody waits for: ends the program.
    static func end(with error: any Error) -> Never {
        say("\(error)")
        exit(code(of: error).rawValue)
    }

    /// Says a line, or some; what it quotes of a file or of somebody else moves no terminal.
    static func say(_ line: String) {
        let lines = line.split(separator: "\n", omittingEmptySubsequences: false).map { printable(String($0)) }
        write("roomful: \(lines.joined(separator: "\n"))\n")
    }

    /// Writes to standard error, as far as that can be written: nobody can be told that it cannot.
    static func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }

    private static func code(of error: any Error) -> ExitCode {
        switch error {
        case let error as OfRoom: code(of: error.problem)
        case let error as RoomError:
            [.ambiguous, .badOption].contains(error.code) ? usage : error.code == .network ? unreachable : refused
        case let error as OperatorClient.Unreachable:
            switch error {
            case .whichRoom: usage
            case .noSuchRoom, .notAllowed, .onlyServices, .sameName: refused
            case .noRoom, .standsBy, .silent, .gone: unreachable
            }
        case let error as BrokerError:
            [.unreachable, .timedOut, .closed, .noLibrary].contains(error.code) ? unreachable : refused
        case let error as JoinError:
            switch error.code {
            case .ambiguous, .badOptions: usage
            case .unreachable, .timedOut, .roomVanished, .cannotSearch, .notARoom: unreachable
            default: refused
            }
        case let error as IdentityError: error.code == .malformedURL ? usage : refused
        case is RecordingError: usage
        default: refused
        }
    }
}
