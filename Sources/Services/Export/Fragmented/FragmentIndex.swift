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
        var initSections: [ArchiveKey: FileInitSection] = [:]
    }

    private let state = Mutex(State())
    private let store: any SegmentStore

    init(store: any SegmentStore) {
        self.store = store
    }

    func initSection(of plan: FragmentedPlan) async throws -> FileInitSection {
        let key = ArchiveKey.initialization(plan.channel, plan.rendition, plan.initName)
        if let known = state.withLock({ $0.initSections[key] }) { return known }
        let bytes = try await store.read(key)
        let initSection = FileInitSection(bytes: bytes, section: try InitSection.reading(bytes))
        guard initSection.delay <= Limits.latestTicks else { throw Self.implausible }
        state.withLock { state in
            if state.initSections.count >= Limits.cachedInitSections { state.initSections.removeAll() }
            state.initSections[key] = initSection
        }
        return initSection
    }

    /// The times of a segment's tracks: all if `isWhole`, else the first of each track.
    ///
    /// For the first times only the beginning is read. Throws `notPacked` if a time is not plausible.
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
        guard times.allSatisfy(Self.isPlausible) else { throw Self.implausible }
        state.withLock { state in
            if state.times.count >= Limits.cachedSegmentTimes { state.times.removeAll() }
            state.times[key] = times
        }
        return times
    }

    private static let implausible = ExportError.notPacked("a timestamp is not plausible")

    /// Whether times can be those of a segment: a source may write any number of 64 bits.
    ///
    /// Those that cannot be added up in the track's own timescale would be moved to another time.
    static func isPlausible(_ track: FragmentRewriter.TrackTimes) -> Bool {
        guard track.end <= UInt64(FragmentShifts.largest),
            let first = MediaTimestamp(track: track.first, timescale: track.timescale)?.mpegTicks,
            let end = MediaTimestamp(track: track.end, timescale: track.timescale)?.mpegTicks
        else { return false }
        return end <= Limits.latestTicks && (0...Limits.segmentTicks).contains(end - first)
    }
}
