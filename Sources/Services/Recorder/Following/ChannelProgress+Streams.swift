import HLS
import Timeline

/// Other playlists of a rendition.
extension ChannelProgress {
    /// Where the leading rendition lies among the others.
    var leaderIndex: Int? { leading.flatMap { renditions.index(of: $0) } }

    /// The source run of the latest segment that an earlier process stored; its source was used last.
    ///
    /// A node without a connection to the others may have begun a later run of another source meanwhile,
    /// which ends earlier.
    var lastRun: SourceRun? {
        let furthest = renditions.values.compactMap { rendition in
            rendition.run.map { (end: rendition.placing.end?.microseconds ?? 0, run: $0) }
        }.max { ($0.end, $0.run) < ($1.end, $1.run) }
        return furthest.flatMap { earlierRuns[$0.run] } ?? newestRun
    }

    /// Whether a rendition was recorded in that run.
    func wasRecordedLast(_ id: RenditionID) -> Bool {
        lastRun.map { renditions[id]?.run == $0.id } ?? true
    }

    /// The source of that run; nil once this process has one in use.
    var earlierSource: String? { source == nil ? lastRun?.source : nil }

    /// Whether a playlist with skipped segments lists every segment that the rendition lacks (RFC 8216bis
    /// §6.3.7).
    func isContinued(_ id: RenditionID, by playlist: MediaPlaylist) -> Bool {
        guard let highest = renditions[id]?.follower.highest, let first = PlaylistFollower.number(playlist, 0)
        else { return false }
        return first <= highest + 1
    }

    /// Whether a rendition's first playlist reaches back behind what was read of the catalogue.
    mutating func reachesBeforeKnown(_ id: RenditionID, _ playlist: MediaPlaylist) -> Bool {
        guard let index = renditions.index(of: id), let lowest = renditions.values[index].lowestKnown,
            let first = PlaylistFollower.number(playlist, 0)
        else { return false }
        renditions.values[index].lowestKnown = nil
        return first < lowest
    }

    /// Whether a segment is the one that is read to find out where another source stands.
    func isJoining(_ identity: SegmentIdentity) -> Bool {
        switch renditions[identity.rendition]?.join {
        case .readingEarlierUse(let number), .reading(let number): number == identity.number
        case .readingNext(let number, _): number + 1 == identity.number
        default: false
        }
    }

    /// Whether another rendition has already started a newer run.
    func isInPreviousRun(_ rendition: RenditionProgress) -> Bool {
        guard let sourceRun, let run = rendition.run else { return false }
        return run != sourceRun.id
    }

    /// The run of an earlier process in which the leading rendition goes on; nil while no playlist has shown
    /// that it does.
    var continuedRun: Int64? {
        guard let index = leaderIndex, !renditions.values[index].follower.entries.isEmpty else { return nil }
        return renditions.values[index].run
    }

    /// Notes an outage of all renditions; it ends for each one with its next new segment.
    mutating func noteOutage(_ reason: GapReason) {
        for id in renditions.keys where renditions[id]?.outage == nil { renditions[id]?.outage = reason }
    }

    /// Notes an outage of one rendition while the source delivers.
    mutating func noteOutage(_ reason: GapReason, _ id: RenditionID) {
        if renditions[id]?.outage == nil { renditions[id]?.outage = reason }
    }

    /// A rendition's playlist has ended.
    ///
    /// After a start, while it is not clear whether the playlist continues the recording, its end does not
    /// explain the time before it.
    mutating func ended(_ id: RenditionID, isInDoubt: Bool) {
        if isInDoubt, renditions[id]?.isResuming ?? false { return }
        noteOutage(.sourceEnded, id)
    }

    /// A rendition is taken from another stream of the source: its numbers may mean other segments.
    mutating func changeStream(of id: RenditionID) {
        renditions[id]?.hasOtherStream = true
        renditions[id]?.isOnBackupStream = true
        renditions[id]?.alignment = NumberAlignment()
    }
}
