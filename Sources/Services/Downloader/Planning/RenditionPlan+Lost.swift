import HLS

/// How long the segments are that a live source has listed and dropped unread.
extension RenditionPlan {
    /// How many there are, and their total duration in microseconds; nil if dates say that there are none.
    ///
    /// `skipped` numbers are missing. The program date-times tell the time, if they are plausible, else the
    /// mean duration of the known parts. Numbers may jump further than the dates.
    func lost(before next: Part, skipped: Int64) -> (count: Int64, microseconds: Int64)? {
        let all = parts.reduce(0) { $0 + $1.segment.durationMicroseconds }
        let mean = max(1, all / Int64(max(parts.count, 1)))
        let usual = mean * skipped
        guard let dated = datedTime(before: next) else { return (skipped, usual) }
        if dated.microseconds.magnitude <= dated.slack { return nil }
        guard (1..<(usual * 2)).contains(dated.microseconds) else { return (skipped, usual) }
        if dated.microseconds > usual / 2 { return (skipped, dated.microseconds) }
        return (max(1, (dated.microseconds + mean / 2) / mean), dated.microseconds)
    }

    /// The time between the last part and the next one by their program date-times, and by how much rounding
    /// may change it, microseconds.
    private func datedTime(before next: Part) -> (microseconds: Int64, slack: UInt64)? {
        guard let end = next.segment.programDateTimeMicroseconds,
            let dated = parts.lastIndex(where: { $0.segment.programDateTimeMicroseconds != nil }),
            let date = parts[dated].segment.programDateTimeMicroseconds
        else { return nil }
        let time = end &- date &- parts[dated...].reduce(0) { $0 + $1.segment.durationMicroseconds }
        return (time, 500_000 + UInt64(parts.count - dated) * Limits.roundingMicroseconds)
    }
}
