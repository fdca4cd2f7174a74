/// Numbers in the form of the text format.
enum Number {
    /// Whole numbers without a fraction, infinities and NaN by name.
    static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return String(whole) }
        return value.description
    }
}
