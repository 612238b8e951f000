import Connections
import Foundation
import Roomful

/// What a person types, read on a thread of its own, so that nothing waits for a person longer than it wants to.
final class TypedLines: Sendable {
    static let shared = TypedLines()

    /// The last line, and how many there were.
    private let typed = Watched((line: "", count: 0))

    private init() {
        let typed = typed
        let thread = Thread {
            while let line = readLine() { typed.change { $0 = (line, $0.count + 1) } }
        }
        thread.name = "roomful-typed"
        thread.start()
    }

    /// The next line that is typed; `nil` when `limit` returns before there is one.
    func next(before limit: @escaping @Sendable () async -> Void) async -> String? {
        let count = typed.value.count
        return await withTaskGroup(of: String?.self) { race in
            race.addTask { [typed] in await typed.first { $0.count > count }?.line }
            race.addTask {
                await limit()
                return nil
            }
            defer { race.cancelAll() }
            return await race.next() ?? nil
        }
    }
}
