/// A value in a place of its own on the heap: who holds it moves a pointer, however large the value is.
///
/// It stays a value: copies share the place until one of them is changed. An array of one is the language's own
/// copy-on-write; a class would be checked for overlapping accesses each time.
struct Boxed<Value: Sendable>: Sendable {
    private var only: [Value]

    init(_ value: Value) { only = [value] }

    /// Asks the value where it lies.
    func read<Answer>(_ question: (borrowing Value) -> Answer) -> Answer {
        only.withUnsafeBufferPointer { question($0[0]) }
    }

    /// Changes the value where it lies.
    mutating func update<Result>(_ change: (inout Value) -> Result) -> Result { change(&only[0]) }

    /// Where the value lies, until this one is changed or gone.
    var place: UnsafePointer<Value>? { only.withUnsafeBufferPointer { $0.baseAddress } }

    /// A copy of it.
    var value: Value { read { copy $0 } }
}
