import MediaFormat
import SegmentStore
import Synchronization
import Timeline

/// What files of fMP4 need of single segments and initialization sections, kept after the first use.
final class FragmentIndex: Sendable {
    private struct Key: Hashable {
        var channel: ChannelID
        var rendition: RenditionID
        var start: Instant
        var revision: Int16
        var isWhole: Bool
    }

    private struct State {
        var times: [Key: [FragmentRewriter.TrackTimes]] = [:]
        var openings: [ArchiveKey: FileOpening] = [:]
    }

    private let state = Mutex(State())
    private let store: any SegmentStore

    init(store: any SegmentStore) {
        self.store = store
    }

    func opening(of plan: FragmentedPlan) async throws -> FileOpening {
        let key = ArchiveKey.initialization(plan.channel, plan.rendition, plan.initName)
        if let known = state.withLock({ $0.openings[key] }) { return known }
        let bytes = try await store.read(key)
        let opening = FileOpening(bytes: bytes, section: try InitSection.reading(bytes))
        state.withLock { state in
            if state.openings.count >= Limits.keptOpenings { state.openings.removeAll() }
            state.openings[key] = opening
        }
        return opening
    }

    /// The times of a segment's tracks: all of them, or the first of each, which the first bytes have.
    func times(
        of segment: RecordedSegment, in plan: FragmentedPlan, _ section: InitSection, isWhole: Bool,
    ) async throws -> [FragmentRewriter.TrackTimes] {
        let key = Key(
            channel: plan.channel, rendition: plan.rendition, start: segment.start,
            revision: segment.revision, isWhole: isWhole)
        if let known = state.withLock({ $0.times[key] }) { return known }
        let opener = SegmentOpener(store, plan.channel, plan.rendition, formats: plan.formats)
        let reader = try await opener.reader(of: segment)
        var scanner = FragmentRewriter(section)
        while let piece = try await reader.next(limit: Limits.pieceByteCount) {
            _ = scanner.append(piece)
            if !isWhole && scanner.hasAllTracks { break }
        }
        let times = scanner.tracks
        state.withLock { state in
            if state.times.count >= Limits.keptTimes { state.times.removeAll() }
            state.times[key] = times
        }
        return times
    }
}
