/// A number of bytes with an optional unit.
enum ByteCount {
    /// Reads digits and an optional unit: K, M, G, T are powers of 1000, Ki, Mi, Gi, Ti of 1024 (IEC
    /// 80000-13).
    ///
    /// A `B` may follow the unit; case does not matter. Nil for any other text, and for numbers over 64 bits.
    static func reading(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        var unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        guard let number = Int64(digits) else { return nil }
        if unit.hasSuffix("b") { unit.removeLast() }
        guard let factor = factor(of: unit) else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }

    private static func factor(of unit: String) -> Int64? {
        guard let letter = unit.first else { return 1 }
        let base: Int64
        switch unit.dropFirst() {
        case "": base = 1000
        case "i": base = 1024
        default: return nil
        }
        switch letter {
        case "k": return base
        case "m": return base * base
        case "g": return base * base * base
        case "t": return base * base * base * base
        default: return nil
        }
    }
}
