extension Span<UInt8> {
    /// Reads a number in its only spelling, without sign and leading zeros; `place` moves to its end.
    ///
    /// Nil if there is no number, or if it has more than `digits` digits, which are at most eighteen.
    func decimal(at place: inout Int, digits: Int) -> Int? {
        let first = place
        var value = 0
        while place < count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self[place]) {
            guard place - first < digits else { return nil }
            value = value * 10 + Int(self[place] - UInt8(ascii: "0"))
            place += 1
        }
        guard place > first, place == first + 1 || self[first] != UInt8(ascii: "0") else { return nil }
        return value
    }
}
