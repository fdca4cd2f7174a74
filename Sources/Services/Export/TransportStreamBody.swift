import HTTP
import SegmentStore
import Timeline

/// A range of a window's transport stream, read from the archive while it is sent.
actor TransportStreamBody: HTTPBodySource {
    private let store: any SegmentStore
    private let plan: TransportStreamPlan
    /// The next run.
    private var run: Int
    /// The segments of the current run that are still to be read.
    private var segments: ArraySlice<RecordedSegment> = []
    /// Bytes of the next part that come before the range.
    private var skipped: UInt64
    /// Bytes still to be sent.
    private var remaining: UInt64
    private var current: SegmentReader?
    private var keys: [ArchiveKey: [UInt8]] = [:]

    init(plan: TransportStreamPlan, store: any SegmentStore, offset: UInt64, byteCount: UInt64) {
        self.store = store
        self.plan = plan
        remaining = byteCount
        skipped = offset
        run = 0
        while run < plan.runs.count, skipped >= plan.runs[run].plainBytes {
            skipped -= plan.runs[run].plainBytes
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
        let part = try nextPart()
        // An encrypted segment is read from its beginning, a clear one where the range begins.
        let begin = part.cipher == nil ? skipped : 0
        let source = try await store.source(of: part.key, range: begin..<UInt64.max)
        let reader = SegmentReader(
            source.stream(), byteCount: part.byteCount, skipping: skipped, cipher: try await cipher(of: part))
        skipped = 0
        current = reader
        return reader
    }

    /// The segment in which the rest of the range begins.
    private func nextPart() throws -> TransportStreamPlan.Part {
        while true {
            guard let segment = segments.popFirst() else {
                guard run < plan.runs.count else { throw ExportError.endedEarly }
                segments = plan.runs[run].segments
                run += 1
                continue
            }
            let part = plan.part(segment)
            if skipped < part.byteCount { return part }
            skipped -= part.byteCount
        }
    }

    private func cipher(of part: TransportStreamPlan.Part) async throws -> SegmentReader.Cipher? {
        guard let cipher = part.cipher else { return nil }
        if let key = keys[cipher.key] { return SegmentReader.Cipher(key: key, iv: cipher.iv) }
        let key = try await store.read(cipher.key)
        if keys.count >= Limits.keys { keys.removeAll() }
        keys[cipher.key] = key
        return SegmentReader.Cipher(key: key, iv: cipher.iv)
    }
}
