import Timeline

/// What is known of each rendition of a channel, in the order of their ids.
///
/// A channel has few renditions, and each event looks them up: a search through their ids is faster than
/// hashing, and `values` are read and changed in place.
struct ByRendition<Value: Sendable>: Sendable {
    /// In ascending order.
    private(set) var keys: [RenditionID] = []
    /// One for each key.
    var values: [Value] = []

    init() {}

    init(_ values: [RenditionID: Value]) {
        for (id, value) in values { self[id] = value }
    }

    /// Where the value of a rendition lies; nil when it has none.
    func index(of id: RenditionID) -> Int? {
        for index in keys.indices where keys[index] == id { return index }
        return nil
    }

    subscript(_ id: RenditionID) -> Value? {
        @inline(__always) get {
            guard let index = index(of: id) else { return nil }
            return values[index]
        }
        _modify {
            var value = take(id)
            defer { if let value { insert(value, id) } }
            yield &value
        }
    }

    /// Takes a value out, so that a change of it copies nothing.
    mutating func take(_ id: RenditionID) -> Value? {
        guard let index = index(of: id) else { return nil }
        keys.remove(at: index)
        return values.remove(at: index)
    }

    /// Puts a value back that was taken out.
    mutating func insert(_ value: consuming Value, _ id: RenditionID) {
        let index = keys.firstIndex { id < $0 } ?? keys.count
        keys.insert(id, at: index)
        // An insertion into an array would copy the value, which is large.
        var behind: [Value] = []
        while values.count > index, let last = values.popLast() { behind.append(last) }
        values.append(value)
        while let next = behind.popLast() { values.append(next) }
    }
}
