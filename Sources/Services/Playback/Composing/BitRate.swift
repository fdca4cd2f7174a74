import Timeline

/// The bit rates of a rendition within a window, in bits per second.
struct BitRate: Equatable {
    /// The maximum over any run of segments between half and one and a half target durations (RFC 8216bis
    /// §4.4.6.2).
    var peak: Int64 = 0
    var average: Int64 = 0

    init(peak: Int64, average: Int64) {
        self.peak = peak
        self.average = average
    }

    init(of segments: some Sequence<RecordedSegment>, targetSeconds: Int) {
        var meter = BitRateMeter(targetSeconds: targetSeconds)
        for segment in segments { meter.append(segment) }
        self = meter.rate
    }

    /// The rates of a list, of whose whole blocks only the first and last few segments are looked at.
    init(of list: SegmentList, targetSeconds: Int) {
        var meter = BitRateMeter(targetSeconds: targetSeconds)
        for piece in list.pieces {
            if piece.isWhole {
                meter.append(piece.block, targetSeconds: targetSeconds)
            } else {
                for segment in piece.segments { meter.append(segment) }
            }
        }
        self = meter.rate
    }
}

/// Measures rates while segments are appended in order.
struct BitRateMeter {
    private let target: Int64
    private var whole = Run()
    /// The runs that can still grow; they are few, because a run soon becomes too long.
    private var open: [Run] = []
    /// The block before, if only runs within it are open and it is too long for a run to reach through it.
    private var before: BlockTotals?
    /// The maximum over the runs so far.
    private(set) var peak: Int64 = 0

    init(targetSeconds: Int) {
        target = Int64(targetSeconds) * Microseconds.perSecond
    }

    var rate: BitRate { BitRate(peak: max(peak, whole.rate), average: whole.rate) }

    mutating func append(_ segment: RecordedSegment) {
        openBefore()
        whole.append(segment)
        open.append(Run())
        extendRuns(by: segment)
    }

    /// Appends all segments of a block: the runs within it are known, so only those that begin before it or
    /// end behind it are measured.
    mutating func append(_ block: Block, targetSeconds: Int) {
        whole.append(bytes: block.totals.storedBytes, duration: block.summary.duration)
        // No run reaches through a block that is longer.
        let isLong = block.summary.duration > longest
        if isLong, let before {
            peak = max(peak, block.totals.peak(after: before, targetSeconds: targetSeconds))
        } else {
            peak = max(peak, block.totals.peak(targetSeconds: targetSeconds))
            openBefore()
            extend(by: block.segments)
        }
        if isLong {
            (open, before) = ([], block.totals)
        } else {
            open(block.segments)
        }
    }

    /// Extends the runs that are open by segments, until none is left.
    mutating func extend(by segments: [RecordedSegment]) {
        for segment in segments {
            if open.isEmpty { break }
            extendRuns(by: segment)
        }
    }

    /// Opens the runs that end with the last of some segments.
    mutating func open(_ segments: [RecordedSegment]) {
        var last = Run()
        for segment in segments.reversed() {
            last.append(segment)
            if last.duration > longest { break }
            open.append(last)
        }
    }

    /// Opens the runs that end with the block before.
    private mutating func openBefore() {
        guard let totals = before else { return }
        before = nil
        open(totals.segments)
    }

    private var longest: Int64 { target + target / 2 }

    private mutating func extendRuns(by segment: RecordedSegment) {
        let longest = longest
        for index in open.indices { open[index].append(segment) }
        open.removeAll { $0.duration > longest }
        for run in open where run.duration >= target / 2 { peak = max(peak, run.rate) }
    }

    private struct Run {
        private var bytes: Int64 = 0
        private(set) var duration: Int64 = 0

        mutating func append(_ segment: RecordedSegment) {
            append(bytes: segment.storedBytes, duration: segment.mediaDuration)
        }

        mutating func append(bytes: Int64, duration: Int64) {
            self.bytes += bytes
            self.duration += duration
        }

        /// Rounded up, so that a peak is never understated.
        var rate: Int64 {
            guard duration > 0 else { return 0 }
            let bits = Double(bytes) * 8 * 1_000_000 / Double(duration)
            return Int64(min(bits.rounded(.up), Double(Limits.bitRate)))
        }
    }
}

extension BitRate {
    /// The rates while one of several alternatives plays, at most.
    static func largest(of alternatives: [BitRate]) -> BitRate {
        BitRate(
            peak: alternatives.map(\.peak).max() ?? 0, average: alternatives.map(\.average).max() ?? 0)
    }

    /// The rates of both together, each at most the limit.
    static func + (one: BitRate, other: BitRate) -> BitRate {
        BitRate(
            peak: bounded(bounded(one.peak) + bounded(other.peak)),
            average: bounded(bounded(one.average) + bounded(other.average)))
    }

    private static func bounded(_ rate: Int64) -> Int64 { min(rate, Limits.bitRate) }
}
