extension Int64 {
    /// The value of a range that is nearest to this one.
    package func clamped(to range: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
