import HTTP
import SegmentStore
import Timeline

/// A range of a window's transport stream, read from the archive while it is sent.
actor TransportStreamBody: HTTPBodySource {
    private let opener: SegmentOpener
    private let plan: TransportStreamPlan
    /// The next run.
    private var run: Int
    /// The segments of the current run that are still to be read.
    private var segments: ArraySlice<RecordedSegment> = []
    /// Bytes of the next segment that come before the range.
    private var skipped: UInt64
    /// Bytes still to be sent.
    private var remaining: UInt64
    private var current: SegmentReader?

    init(plan: TransportStreamPlan, store: any SegmentStore, offset: UInt64, byteCount: UInt64) {
        opener = SegmentOpener(store, plan.channel, plan.rendition, formats: plan.formats)
        self.plan = plan
        remaining = byteCount
        skipped = offset
        run = 0
        while run < plan.runs.count, skipped >= plan.runs[run].packetByteCount {
            skipped -= plan.runs[run].packetByteCount
            run += 1
        }
    }

    func next(limit: Int) async throws -> [UInt8]? {
        while remaining > 0 {
            let reader = try await reader()
            let piece = try await reader.next(limit: min(limit, Int(clamping: remaining)))
            if let piece {
                remaining -= UInt64(piece.count)
                return piece
            }
            current = nil
        }
        return nil
    }

    private func reader() async throws -> SegmentReader {
        if let current { return current }
        let segment = try nextSegment()
        let reader = try await opener.reader(
            of: segment, skipping: skipped, byteCount: segment.packetByteCount)
        skipped = 0
        current = reader
        return reader
    }

    /// The segment in which the rest of the range begins.
    private func nextSegment() throws -> RecordedSegment {
        while true {
            guard let segment = segments.popFirst() else {
                guard run < plan.runs.count else { throw ExportError.endedEarly }
                segments = plan.runs[run].segments
                run += 1
                continue
            }
            if skipped < segment.packetByteCount { return segment }
            skipped -= segment.packetByteCount
        }
    }
}
