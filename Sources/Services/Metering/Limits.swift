/// The bounds of this module.
enum Limits {
    /// Seconds between two measurements of gaps.
    static let gapRoundSeconds = 15
    /// Seconds of a channel that one measurement of gaps reads at most; the next rounds read the rest.
    static let gapStepSeconds: Int64 = 6 * 3600
    /// Seconds between two measurements of what the archive holds, at least: the summaries of a thousand
    /// channels take a second.
    static let archiveRoundSeconds = 60
    /// The pause after a measurement, as a multiple of its duration: years of many channels take seconds.
    static let archiveRestFactor = 50
}
