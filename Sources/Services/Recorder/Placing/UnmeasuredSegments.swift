import MediaFormat
import Timeline

/// Segments of a source run that nothing has measured: lost, damaged or encrypted ones.
///
/// The timestamps of the segments around them tell how long they play together.
struct UnmeasuredSegments: Sendable {
    private struct Entry: Sendable {
        var number: Int64
        /// How much of the timeline it takes, microseconds; nil where that says nothing of its media.
        var length: Int64?
        /// Where its media begin and end, in units of 90 kHz; nil until they are measured.
        var media: (begin: Int64, end: Int64)?
        /// Whether its length has been compared with its media, alone or together with its neighbours.
        var isSettled = false
    }

    /// By number.
    private var entries: [Entry] = []

    /// A segment was placed.
    ///
    /// - Parameters:
    ///   - number: above those of all segments before it
    ///   - length: how much of the timeline it takes, microseconds; nil where that says nothing of its media
    mutating func add(_ number: Int64, length: Int64?) {
        if let last = entries.last, last.number >= number { entries = [] }
        entries.append(Entry(number: number, length: length))
        if entries.count > 2 * Limits.recentEntries { entries.removeFirst(Limits.recentEntries) }
    }

    /// A segment was measured: what lies between it and the measured ones next to it is settled.
    ///
    /// - Parameters:
    ///   - number: the segment's
    ///   - timestamp: where its media begin, in units of 90 kHz
    ///   - duration: how long they play, microseconds
    /// - Returns: whether its own length is settled already, and by how much the others play longer than the
    ///   timeline says, microseconds
    mutating func measured(
        _ number: Int64, timestamp: Int64?, duration: Int64,
    ) -> (isSettled: Bool, others: Int64) {
        guard let index = entries.lastIndex(where: { $0.number == number }) else { return (false, 0) }
        let wasSettled = entries[index].isSettled
        entries[index].isSettled = true
        guard let timestamp else { return (wasSettled, 0) }
        let ticks = duration * Int64(PresentationTime.timescale) / Microseconds.perSecond
        entries[index].media = (timestamp, timestamp + ticks)
        var others: Int64 = 0
        if let before = entries[..<index].lastIndex(where: { $0.media != nil }) {
            others += settle(between: before, and: index)
        }
        if let next = entries[(index + 1)...].firstIndex(where: { $0.media != nil }) {
            others += settle(between: index, and: next)
        }
        return (wasSettled, others)
    }

    private mutating func settle(between before: Int, and next: Int) -> Int64 {
        let between = before + 1..<next
        guard !between.isEmpty, entries[next].number - entries[before].number == Int64(next - before),
            let begin = entries[before].media?.end, let end = entries[next].media?.begin,
            between.allSatisfy({ !entries[$0].isSettled && entries[$0].length != nil }),
            entries[next].length != nil
        else { return 0 }
        let lengths = between.reduce(Int64(0)) { $0 + (entries[$1].length ?? 0) }
        let difference = HeldMedia.distance(from: begin, to: end) - lengths
        // More is a jump of the media's clock.
        guard difference.magnitude <= (lengths / 2).magnitude else { return 0 }
        for index in between { entries[index].isSettled = true }
        return difference
    }
}
