/// Reads short texts of digits and separators from the front.
struct DigitScanner {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }
    var next: UInt8? { rest.first }

    /// The digits at the front, possibly none.
    mutating func digits() -> ArraySlice<UInt8> {
        let end = rest.firstIndex { !Self.isDigit($0) } ?? rest.endIndex
        defer { rest = rest[end...] }
        return rest[..<end]
    }

    /// A number with exactly `count` digits, at most nine.
    mutating func number(ofDigits count: Int) -> Int? {
        guard rest.count >= count, rest.prefix(count).allSatisfy(Self.isDigit) else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Self.number(rest.prefix(count)).map(Int.init)
    }

    /// A decimal point or comma and digits, as microseconds.
    ///
    /// Zero if there are none. Further digits are dropped.
    mutating func fraction() -> Int64? {
        guard skip(anyOf: [UInt8(ascii: "."), UInt8(ascii: ",")]) else { return 0 }
        let digits = digits()
        guard !digits.isEmpty else { return nil }
        let six = digits.prefix(6) + repeatElement(UInt8(ascii: "0"), count: max(0, 6 - digits.count))
        return Self.number(six)
    }

    /// Skips a mark and returns whether it was there; nil as the mark always succeeds.
    mutating func skip(_ mark: UInt8?) -> Bool {
        mark.map { skip(anyOf: [$0]) } ?? true
    }

    mutating func skip(anyOf marks: [UInt8]) -> Bool {
        guard let next, marks.contains(next) else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func skip(word: String) -> Bool {
        guard rest.starts(with: word.utf8) else { return false }
        rest = rest.dropFirst(word.utf8.count)
        return true
    }

    /// The value of digits; nil if there are none or the value is too large.
    static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        digits.isEmpty ? nil : Int64(String(decoding: digits, as: UTF8.self))
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
