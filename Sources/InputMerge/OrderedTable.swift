/// A small table whose rows stand in the order of their keys: looked up by binary search, and never in an order that
/// changes from one process to the next.
struct OrderedTable<Value: Sendable>: Sendable {
    /// In ascending order.
    private(set) var keys: [Int] = []
    private var values: [Value] = []

    subscript(key: Int) -> Value? {
        get {
            let place = place(of: key)
            return has(key, at: place) ? values[place] : nil
        }
        _modify {
            let place = place(of: key)
            let wasThere = has(key, at: place)
            var value = wasThere ? values.remove(at: place) : nil
            if wasThere { keys.remove(at: place) }
            defer {
                if let value {
                    keys.insert(key, at: place)
                    values.insert(value, at: place)
                }
            }
            yield &value
        }
    }

    subscript(key: Int, default blank: @autoclosure () -> Value) -> Value {
        get { self[key] ?? blank() }
        _modify {
            let place = place(of: key)
            if !has(key, at: place) {
                keys.insert(key, at: place)
                values.insert(blank(), at: place)
            }
            yield &values[place]
        }
    }

    /// Changes the row in place; `nil` when there is none.
    mutating func update<Result>(_ key: Int, _ body: (inout Value) -> Result) -> Result? {
        let place = place(of: key)
        return has(key, at: place) ? body(&values[place]) : nil
    }

    private func has(_ key: Int, at place: Int) -> Bool { place < keys.count && keys[place] == key }

    private func place(of key: Int) -> Int { keys.partitioningIndex { $0 >= key } }
}

extension Array {
    /// The index of the first element that belongs to the second half of a partitioned array, by binary search.
    @inline(__always)
    func partitioningIndex(where belongsInSecond: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if belongsInSecond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
