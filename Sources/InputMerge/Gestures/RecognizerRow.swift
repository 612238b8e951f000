/// The recognizers that watch one stream, each of a type of its own, side by side in one block of memory.
///
/// In an array of `any Recognizer` each lies in a box somewhere, which is asked for each sample whether anybody shares it:
/// a tenth of what a sample costs. A value all the same: who changes a copy gets a block of its own.
struct RecognizerRow: Sendable {
    /// Where each lies, and how to go about it; copies of a row share it.
    private struct Place: Sendable {
        var type: any Recognizer.Type
        var offset: Int
    }

    /// Owns the memory. Sendable, as nobody changes one that is shared.
    private final class Block: @unchecked Sendable {
        let places: [Place]
        let size: Int
        let memory: UnsafeMutableRawPointer

        init(_ places: [Place], size: Int) {
            self.places = places
            self.size = size
            memory = .allocate(byteCount: max(size, 1), alignment: RecognizerRow.alignment)
        }

        func copy() -> Block {
            let copy = Block(places, size: size)
            for place in places { place.type.copy(from: memory + place.offset, to: copy.memory + place.offset) }
            return copy
        }

        deinit {
            for place in places { place.type.destroy(at: memory + place.offset) }
            memory.deallocate()
        }
    }

    /// Enough for vectors of eight doubles.
    private static let alignment = 64

    private var block: Block

    init(_ recognizers: [any Recognizer] = []) {
        var places: [Place] = []
        var end = 0
        for recognizer in recognizers {
            let type = type(of: recognizer)
            end = (end + type.alignment - 1) / type.alignment * type.alignment
            places.append(Place(type: type, offset: end))
            end += type.size
        }
        block = Block(places, size: end)
        for (recognizer, place) in zip(recognizers, places) { recognizer.put(at: block.memory + place.offset) }
    }

    var count: Int { block.places.count }

    /// Shows the motion to each from `first` on, until one sees something: which, and what. `nil` when none does.
    mutating func update(_ motion: DeviceMotion, from first: Int) -> (gesture: Int, seen: Recognition)? {
        own()
        for gesture in first..<block.places.count {
            let place = block.places[gesture]
            if let seen = place.type.update(at: block.memory + place.offset, motion) { return (gesture, seen) }
        }
        return nil
    }

    /// Something is missing before the next sample.
    mutating func interrupt() {
        own()
        for place in block.places { place.type.interrupt(at: block.memory + place.offset) }
    }

    /// Changes each, which stays of its type; what is seldom done, as it goes by way of a box.
    mutating func forEach(_ change: (inout any Recognizer) -> Void) {
        own()
        for place in block.places { place.type.change(at: block.memory + place.offset, change) }
    }

    /// Which of them promised that something may become a gesture, and have not said that it is over.
    var shaping: [Int] {
        block.places.indices.filter { block.places[$0].type.isShaping(at: block.memory + block.places[$0].offset) }
    }

    /// Where they lie, until one of them is changed.
    var place: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: block.memory, count: block.size) }

    private mutating func own() {
        if !isKnownUniquelyReferenced(&block) { block = block.copy() }
    }
}

/// How to go about a recognizer of this type that lies in raw memory.
extension Recognizer {
    fileprivate static var size: Int { MemoryLayout<Self>.size }
    fileprivate static var alignment: Int { MemoryLayout<Self>.alignment }

    fileprivate func put(at memory: UnsafeMutableRawPointer) { memory.initializeMemory(as: Self.self, to: self) }

    fileprivate static func copy(from memory: UnsafeMutableRawPointer, to copy: UnsafeMutableRawPointer) {
        copy.initializeMemory(as: Self.self, to: memory.assumingMemoryBound(to: Self.self).pointee)
    }

    fileprivate static func destroy(at memory: UnsafeMutableRawPointer) {
        memory.assumingMemoryBound(to: Self.self).deinitialize(count: 1)
    }

    fileprivate static func update(at memory: UnsafeMutableRawPointer, _ motion: DeviceMotion) -> Recognition? {
        memory.assumingMemoryBound(to: Self.self).pointee.update(motion)
    }

    fileprivate static func interrupt(at memory: UnsafeMutableRawPointer) {
        memory.assumingMemoryBound(to: Self.self).pointee.interrupt()
    }

    fileprivate static func isShaping(at memory: UnsafeMutableRawPointer) -> Bool {
        memory.assumingMemoryBound(to: Self.self).pointee.isShaping
    }

    fileprivate static func change(
        at memory: UnsafeMutableRawPointer, _ change: (inout any Recognizer) -> Void
    ) {
        let place = memory.assumingMemoryBound(to: Self.self)
        var recognizer: any Recognizer = place.move()
        change(&recognizer)
        guard let changed = recognizer as? Self else { preconditionFailure("a recognizer stays of its type") }
        place.initialize(to: changed)
    }
}
