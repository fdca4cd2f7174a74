import Timeline

/// How drift is taken back.
extension TimePlacing {
    /// By how much a segment is stretched or, below 0, cut for the timeline to come nearer to its clock,
    /// microseconds.
    ///
    /// Drift beyond the bound is corrected at once, by up to a share of the duration. Otherwise a source with
    /// wrong EXTINF would move the timeline away without limit. Where no media were measured, nothing but
    /// this correction keeps the timeline by its clock: then it may be nearly as long as the duration.
    static func slew(_ difference: Int64, bound: Int64, gentle: Int64, of entry: Entry) -> Int64 {
        let size = Int64(difference.magnitude)
        let longest: Int64 =
            !entry.isUnmeasured
            ? entry.duration / Limits.firmSlewShare
            : difference < 0 ? entry.duration - entry.duration / Limits.shortestShare : .max
        return max(min(size, gentle), min(size - bound, longest)) * difference.signum()
    }
}
