import HTTP
import MediaFormat
import SegmentStore
import Timeline

/// A range of a window's MP4 file, read from the archive and moved while it is sent.
actor FragmentedBody: HTTPBodySource {
    private let plan: FragmentedPlan
    private let opener: SegmentOpener
    private let initSection: FileInitSection
    /// The segments that are still to be read.
    private var runs: ArraySlice<SegmentRun>
    private var segments: ArraySlice<RecordedSegment> = []
    /// Bytes before the range that are still to be dropped.
    private var skipped: UInt64
    /// Bytes still to be sent.
    private var remaining: UInt64
    /// Where the current segment begins in the file.
    private var position: UInt64
    private var ready: ArraySlice<UInt8> = []
    private var reader: SegmentReader?
    private var rewriter: FragmentRewriter
    private let shifts: RunShifts

    init(
        _ file: FragmentedFile, _ index: FragmentIndex, store: any SegmentStore, offset: UInt64,
        byteCount: UInt64,
    ) {
        (plan, initSection) = (file.plan, file.initSection)
        shifts = RunShifts(file, index)
        opener = SegmentOpener(store, plan.channel, plan.rendition, formats: plan.formats)
        rewriter = FragmentRewriter(initSection.section)
        (skipped, remaining) = (offset, byteCount)
        runs = plan.runs[...]
        position = UInt64(initSection.bytesWithoutDelay.count)
        if skipped < position {
            ready = initSection.bytesWithoutDelay.dropFirst(Int(skipped))
            skipped = 0
        } else {
            skipped -= position
        }
    }

    func next(limit: Int) async throws -> [UInt8]? {
        guard remaining > 0 else { return nil }
        while ready.isEmpty { try await fill() }
        let piece = Array(ready.prefix(min(limit, Int(clamping: remaining))))
        ready = ready.dropFirst(piece.count)
        remaining -= UInt64(piece.count)
        return piece
    }

    private func fill() async throws {
        guard let reader else { return try await openNext() }
        var moved: [UInt8]
        if let piece = try await reader.next(limit: Limits.pieceByteCount) {
            moved = rewriter.append(piece)
        } else {
            moved = rewriter.finish()
            self.reader = nil
        }
        guard !rewriter.isOverflowing else { throw ExportError.notPacked("a time needs more than 32 bits") }
        let dropped = min(UInt64(moved.count), skipped)
        skipped -= dropped
        ready = moved[Int(dropped)...]
    }

    private func openNext() async throws {
        while true {
            if let segment = segments.popFirst() {
                let byteCount = segment.plainByteCount
                defer { position += byteCount }
                if skipped >= byteCount {
                    skipped -= byteCount
                    continue
                }
                let ticks = try await shifts.ticks(ofRun: plan.continuous.index(of: segment))
                rewriter = FragmentRewriter(
                    initSection.section, shifts: ticks, position: position, byteCount: byteCount)
                reader = try await opener.reader(of: segment)
                return
            }
            guard let run = runs.popFirst() else { throw ExportError.endedEarly }
            if skipped >= run.plainBytes {
                skipped -= run.plainBytes
                position += run.plainBytes
            } else {
                segments = run.segments
            }
        }
    }
}
