import Digest
import Synchronization
package import Timeline

/// Sums over the segments of a block that only some answers need, computed on first use.
final class BlockTotals: Sendable {
    let storedBytes: Int64
    let segments: [RecordedSegment]
    /// Identifies the block: the address of a freed block may be used again by another one.
    private let number = BlockTotals.made.add(1, ordering: .relaxed).newValue
    private static let made = Atomic(0)
    /// By target duration, seconds.
    private let peaks = Mutex<[Int: Int64]>([:])
    /// By the block before and the target duration.
    private let joined = Mutex<[Join: Int64]>([:])
    /// The first of these, which usually stays the only one: it is read without a lock.
    private let usual = OnceReference<JoinedPeak>()
    private let run = Mutex<SegmentRun?>(nil)
    private let sizes = OnceReference<RowSizes>()
    private let grouped = OnceReference<RowGroups>()

    private struct Join: Hashable {
        var before: Int
        var targetSeconds: Int
    }

    private final class JoinedPeak: Sendable {
        let join: Join
        let peak: Int64

        init(_ join: Join, _ peak: Int64) {
            (self.join, self.peak) = (join, peak)
        }
    }

    init(_ segments: [RecordedSegment]) {
        self.segments = segments
        storedBytes = segments.indices.reduce(0) { $0 + segments[$1].storedBytes }
    }

    /// The sizes of the segments side by side, made on first use.
    var rows: [RowSizes.Row] {
        if let known = sizes.load() { return known.rows }
        return sizes.storeIfNil(RowSizes(segments)).rows
    }

    /// The sum and the run with the highest rate of each full group of segments, for bit rates.
    ///
    /// Only the result for the first target duration is cached; usually there is no other.
    func groups(targetSeconds: Int) -> [BitRateMeter.Group] {
        if let known = grouped.load(), known.targetSeconds == targetSeconds { return known.groups }
        let made = RowGroups(rows, targetSeconds: targetSeconds)
        _ = grouped.storeIfNil(made)
        return made.groups
    }

    /// The highest bit rate of any run within the block that counts for a target duration.
    func peak(targetSeconds: Int) -> Int64 {
        peaks.withLock { peaks in
            if let known = peaks[targetSeconds] { return known }
            var meter = BitRateMeter(targetSeconds: targetSeconds)
            meter.append(self, segments.indices)
            if peaks.count >= Limits.targetsPerBlock { peaks.removeAll() }
            peaks[targetSeconds] = meter.peak
            return meter.peak
        }
    }

    /// The result of `peak(after:targetSeconds:)` if it is known.
    func knownPeak(after before: BlockTotals, targetSeconds: Int) -> Int64? {
        let join = Join(before: before.number, targetSeconds: targetSeconds)
        if let usual = usual.load(), usual.join == join { return usual.peak }
        return joined.withLock { $0[join] }
    }

    /// The highest rate of runs that end in this block and last 0.5 to 1.5 target durations, bits per second.
    ///
    /// Only runs that begin in this block or in `before`, the previous one, are measured.
    func peak(after before: BlockTotals, targetSeconds: Int) -> Int64 {
        let join = Join(before: before.number, targetSeconds: targetSeconds)
        if let usual = usual.load(), usual.join == join { return usual.peak }
        let own = peak(targetSeconds: targetSeconds)
        return joined.withLock { joined in
            if let known = joined[join] { return known }
            var meter = BitRateMeter(targetSeconds: targetSeconds)
            meter.open(before.rows, before.segments.indices)
            meter.extend(by: rows, segments.indices)
            let peak = max(own, meter.peak)
            if joined.count >= Limits.targetsPerBlock { joined.removeAll() }
            joined[join] = peak
            _ = usual.storeIfNil(JoinedPeak(join, peak))
            return peak
        }
    }

    /// All segments, as a part of a file.
    func wholeRun() throws(PlaybackError) -> SegmentRun {
        try run.withLock { run throws(PlaybackError) in
            if let run { return run }
            let made = try SegmentRun.made(of: segments[...])
            run = made
            return made
        }
    }
}

/// Size and media duration of each segment of a block, for bit rates.
final class RowSizes: Sendable {
    struct Row {
        var bytes: Int64
        /// How long the media play, microseconds.
        var duration: Int64
    }

    let rows: [Row]

    init(_ segments: [RecordedSegment]) {
        rows = segments.indices.map {
            Row(bytes: segments[$0].storedBytes, duration: segments[$0].mediaDuration)
        }
    }
}

/// What bit rates take of groups of segments of a block.
final class RowGroups: Sendable {
    let targetSeconds: Int
    let groups: [BitRateMeter.Group]

    init(_ rows: [RowSizes.Row], targetSeconds: Int) {
        self.targetSeconds = targetSeconds
        groups = BitRateMeter.groups(of: rows, targetSeconds: targetSeconds)
    }
}

extension SegmentList {
    /// The segments as runs for one file: a run for each slice of a block.
    package func runs() throws(PlaybackError) -> [SegmentRun] {
        var runs: [SegmentRun] = []
        runs.reserveCapacity(pieces.count)
        for piece in pieces {
            runs.append(
                piece.isWhole ? try piece.block.totals.wholeRun() : try SegmentRun.made(of: piece.segments))
        }
        return runs
    }
}

extension SegmentRun {
    fileprivate static func made(
        of segments: ArraySlice<RecordedSegment>,
    ) throws(PlaybackError) -> SegmentRun {
        var text: [UInt8] = []
        text.reserveCapacity(segments.count * 26)
        var formats: [Int32] = []
        var byteCount: UInt64 = 0
        for segment in segments {
            for value in [segment.start.microseconds, Int64(segment.revision), segment.plainBytes] {
                for shift in stride(from: 0, to: 64, by: 8) {
                    text.append(UInt8(truncatingIfNeeded: value >> Int64(shift)))
                }
            }
            if formats.last != segment.formatID { formats.append(segment.formatID) }
            byteCount += UInt64(max(0, segment.plainBytes))
        }
        return SegmentRun(
            segments: segments, plainBytes: byteCount, formatIDs: formats, digest: try SHA256.made(of: text))
    }
}
