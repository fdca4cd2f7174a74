import HLS

/// How long the segments are that a live source has listed and dropped unread.
extension RenditionPlan {
    /// Their total duration, microseconds; nil if dates say that there are none.
    ///
    /// From the program date-times if plausible, else the mean duration of the known parts.
    func lostMicroseconds(before next: Part, count: Int64) -> Int64? {
        let all = parts.reduce(0) { $0 + $1.segment.durationMicroseconds }
        let mean = all / Int64(max(parts.count, 1))
        let usual = mean * count
        guard let dated = datedMicroseconds(before: next) else { return usual }
        if dated.magnitude <= mean.magnitude / 2 { return nil }
        return dated > usual / 2 && dated < usual * 2 ? dated : usual
    }

    /// The time between the last part and the next one by their program date-times, microseconds.
    private func datedMicroseconds(before next: Part) -> Int64? {
        guard let end = next.segment.programDateTimeMicroseconds,
            let dated = parts.lastIndex(where: { $0.segment.programDateTimeMicroseconds != nil }),
            let date = parts[dated].segment.programDateTimeMicroseconds
        else { return nil }
        return end &- date &- parts[dated...].reduce(0) { $0 + $1.segment.durationMicroseconds }
    }
}
