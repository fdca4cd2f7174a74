/// A value of a range that is combined from the values of its parts, in any order.
protocol RangeValue: Sendable {
    mutating func add(_ other: Self)
}

/// A binary tree of sums: a range of n places takes at most about 2 log2(n) steps.
struct RangeTree<Value: RangeValue>: Sendable {
    /// From index `count` on the values of the places; before that, sums of two nodes each.
    ///
    /// Node n is the sum of nodes 2n and 2n + 1; nil until it is made.
    private var nodes: [Value?]
    private let count: Int

    /// The values of all places are made when they are first needed.
    init(count: Int) {
        self.count = count
        nodes = Array(repeating: nil, count: 2 * count)
    }

    init(_ values: [Value]) {
        self.init(count: values.count)
        for (place, value) in values.enumerated() { nodes[count + place] = value }
        for node in stride(from: count - 1, to: 0, by: -1) {
            if var sum = nodes[2 * node], let other = nodes[2 * node + 1] {
                sum.add(other)
                nodes[node] = sum
            }
        }
    }

    /// Removes the values from a place on, and the sums that have them.
    mutating func removeValues(from place: Int) {
        for leaf in (count + place)..<(2 * count) {
            var node = leaf
            while node > 0 {
                nodes[node] = nil
                node >>= 1
            }
        }
    }

    /// Adds the values of a range to a sum; false if one is not made.
    func add(_ range: Range<Int>, to sum: inout Value) -> Bool {
        Self.visit(range, count) { node in
            guard let value = nodes[node] else { return false }
            sum.add(value)
            return true
        }
    }

    /// Makes the values that `add` needs for a range; false if `make` returns nil for one of its places.
    ///
    /// Values that were made before that are kept.
    mutating func prepare(_ range: Range<Int>, _ make: (Int) -> Value?) -> Bool {
        Self.visit(range, count) { prepare($0, make) != nil }
    }

    private mutating func prepare(_ node: Int, _ make: (Int) -> Value?) -> Value? {
        if let known = nodes[node] { return known }
        if node >= count {
            nodes[node] = make(node - count)
        } else if var sum = prepare(2 * node, make), let other = prepare(2 * node + 1, make) {
            sum.add(other)
            nodes[node] = sum
        }
        return nodes[node]
    }

    /// Calls `body` for the fewest nodes that cover a range; false as soon as `body` is false.
    private static func visit(_ range: Range<Int>, _ count: Int, _ body: (Int) -> Bool) -> Bool {
        var (low, high) = (range.lowerBound + count, range.upperBound + count)
        while low < high {
            if low & 1 == 1 {
                guard body(low) else { return false }
                low += 1
            }
            if high & 1 == 1 {
                high -= 1
                guard body(high) else { return false }
            }
            (low, high) = (low >> 1, high >> 1)
        }
        return true
    }
}
