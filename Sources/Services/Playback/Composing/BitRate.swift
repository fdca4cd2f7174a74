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

    /// The rates of a list; of each whole block only the first and last few segments are read.
    init(of list: SegmentList, targetSeconds: Int) {
        var meter = BitRateMeter(targetSeconds: targetSeconds)
        for piece in list.pieces {
            if piece.isWhole {
                meter.append(piece.block, targetSeconds: targetSeconds)
            } else {
                meter.append(piece.block.totals, piece.range)
            }
        }
        self = meter.rate
    }
}

/// Measures rates while segments are appended in order.
struct BitRateMeter {
    private let targetSeconds: Int
    private let target: Int64
    private var whole = Run()
    /// The runs that can still grow; they are few, because a run soon becomes too long.
    private var open: [Run] = []
    /// The previous block, if it is too long for a run to span it; `open` then lacks its runs.
    private var before: BlockTotals?
    /// The maximum over the runs so far.
    private(set) var peak: Int64 = 0

    init(targetSeconds: Int) {
        self.targetSeconds = targetSeconds
        target = Int64(targetSeconds) * Microseconds.perSecond
    }

    var rate: BitRate { BitRate(peak: max(peak, whole.rate), average: whole.rate) }

    mutating func append(_ segment: RecordedSegment) {
        openBefore()
        whole.append(bytes: segment.storedBytes, duration: segment.mediaDuration)
        open.append(Run())
        extendRuns(by: RowSizes.Row(bytes: segment.storedBytes, duration: segment.mediaDuration))
    }

    /// Appends all segments of a block: the runs within it are known, so only those that begin before it or
    /// end behind it are measured.
    mutating func append(_ block: Block, targetSeconds: Int) {
        whole.append(bytes: block.totals.storedBytes, duration: block.summary.duration)
        let isLong = Self.isLong(block, targetSeconds: targetSeconds)
        if isLong, let before {
            peak = max(peak, block.totals.peak(after: before, targetSeconds: targetSeconds))
        } else {
            peak = max(peak, block.totals.peak(targetSeconds: targetSeconds))
            openBefore()
            extend(by: block.totals.rows, block.segments.indices)
        }
        if isLong {
            open.removeAll(keepingCapacity: true)
            before = block.totals
        } else {
            open(block.totals.rows, block.segments.indices)
        }
    }

    /// Appends some rows of a block.
    ///
    /// The runs within the rows are measured in one pass, the others only if they begin before the rows or
    /// end after them.
    mutating func append(_ block: BlockTotals, _ range: Range<Int>) {
        openBefore()
        let rows = block.rows
        extend(by: rows, range)
        let (all, highest) = runs(within: block, range)
        whole.append(all)
        peak = max(peak, highest.rate)
        if all.duration > longest { open.removeAll(keepingCapacity: true) }
        open(rows, range)
    }

    /// Appends blocks that are each too long for a run to span them.
    ///
    /// False if the block before them is not that long; then nothing is appended. `peak` is the highest bit
    /// rate of the runs that end in the blocks.
    mutating func append(bytes: Int64, duration: Int64, peak: Int64, endingWith last: BlockTotals) -> Bool {
        guard before != nil else { return false }
        whole.append(bytes: bytes, duration: duration)
        self.peak = max(self.peak, peak)
        before = last
        return true
    }

    /// Extends the runs that are open by some rows, until none is left.
    mutating func extend(by rows: [RowSizes.Row], _ range: Range<Int>) {
        for index in range {
            if open.isEmpty { break }
            extendRuns(by: rows[index])
        }
    }

    /// Opens the runs that end with the last of some rows.
    mutating func open(_ rows: [RowSizes.Row], _ range: Range<Int>) {
        var last = Run()
        for index in range.reversed() {
            last.append(rows[index])
            if last.duration > longest { break }
            open.append(last)
        }
    }

    /// The sum of a range of rows, and the run with the highest rate in it (see `highestRun`).
    private func runs(within block: BlockTotals, _ range: Range<Int>) -> (all: Run, highest: Run) {
        let (rows, groups) = (block.rows, block.groups(targetSeconds: targetSeconds))
        var (all, highest) = (Run(), Run())
        var end = range.lowerBound
        while end < range.upperBound {
            let next = end + Limits.rowsPerGroup
            // No run that ends in the group can include all rows before it.
            if all.duration > longest, next <= range.upperBound, end.isMultiple(of: Limits.rowsPerGroup) {
                let group = groups[end / Limits.rowsPerGroup]
                all.append(group.all)
                if group.highest.isHigher(than: highest) { highest = group.highest }
                end = next
                continue
            }
            all.append(rows[end])
            let run = highestRun(within: rows, from: range.lowerBound, endingAt: end)
            if run.isHigher(than: highest) { highest = run }
            end += 1
        }
        return (all, highest)
    }

    /// The run with the highest rate that ends with a row and lasts 0.5 to 1.5 target durations.
    private func highestRun(within rows: [RowSizes.Row], from first: Int, endingAt end: Int) -> Run {
        var (run, highest, begin) = (Run(), Run(), end)
        while begin >= first {
            run.append(rows[begin])
            if run.duration > longest { break }
            if run.duration >= target / 2, run.isHigher(than: highest) { highest = run }
            begin -= 1
        }
        return highest
    }

    /// For each full group of rows: the sum, and the run with the highest rate that ends in the group.
    static func groups(of rows: [RowSizes.Row], targetSeconds: Int) -> [Group] {
        let meter = BitRateMeter(targetSeconds: targetSeconds)
        return (0..<(rows.count / Limits.rowsPerGroup)).map { index in
            var group = Group()
            for row in (index * Limits.rowsPerGroup)..<((index + 1) * Limits.rowsPerGroup) {
                group.all.append(rows[row])
                let run = meter.highestRun(within: rows, from: 0, endingAt: row)
                if run.isHigher(than: group.highest) { group.highest = run }
            }
            return group
        }
    }

    /// Opens the runs that end with the block before.
    private mutating func openBefore() {
        guard let totals = before else { return }
        before = nil
        open(totals.rows, totals.segments.indices)
    }

    /// Whether no run reaches through a block.
    static func isLong(_ block: Block, targetSeconds: Int) -> Bool {
        block.summary.duration > BitRateMeter(targetSeconds: targetSeconds).longest
    }

    private var longest: Int64 { target + target / 2 }

    private mutating func extendRuns(by row: RowSizes.Row) {
        let longest = longest
        for index in open.indices { open[index].append(row) }
        open.removeAll { $0.duration > longest }
        for run in open where run.duration >= target / 2 { peak = max(peak, run.rate) }
    }

    /// Some consecutive rows of a block.
    struct Group {
        fileprivate var all = Run()
        fileprivate var highest = Run()
    }

    fileprivate struct Run {
        private var bytes: Int64 = 0
        private(set) var duration: Int64 = 0

        mutating func append(_ row: RowSizes.Row) {
            append(bytes: row.bytes, duration: row.duration)
        }

        mutating func append(_ run: Run) {
            append(bytes: run.bytes, duration: run.duration)
        }

        /// Compares rates; a run without duration has none.
        func isHigher(than other: Run) -> Bool {
            if other.duration <= 0 { return duration > 0 }
            return duration > 0
                && Double(bytes) * Double(other.duration) > Double(other.bytes) * Double(duration)
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
        alternatives.reduce(into: BitRate(peak: 0, average: 0)) { largest, rate in
            largest.peak = max(largest.peak, rate.peak)
            largest.average = max(largest.average, rate.average)
        }
    }

    /// The rates of both together, each at most the limit.
    static func + (one: BitRate, other: BitRate) -> BitRate {
        BitRate(
            peak: bounded(bounded(one.peak) + bounded(other.peak)),
            average: bounded(bounded(one.average) + bounded(other.average)))
    }

    private static func bounded(_ rate: Int64) -> Int64 { min(rate, Limits.bitRate) }
}
