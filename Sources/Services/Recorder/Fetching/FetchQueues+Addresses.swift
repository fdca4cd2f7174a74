import Concurrency
import HLS
import HTTP
import Timeline

/// Addresses that may now lead to another segment: a restarted encoder uses the same file names.
extension FetchQueues {
    /// Gives up requests for older segments whose address a newly listed segment has.
    ///
    /// A segment that the playlist still lists stays. If one segment of an older source run loses its address
    /// now or will lose it next, all requests of that run are given up.
    ///
    /// - Returns: the requests that are not running; running ones are marked `isReplaced` and still answer
    mutating func dropReplaced(
        by listed: [ListedSegment], in playlist: MediaPlaylist, of id: RenditionID, _ use: SourceUse,
        base: HTTPURL,
    ) -> [SegmentRequest] {
        guard let run = listed.first?.identity.run, queues[id]?.isEmpty == false, let queue = queues[id]
        else { return [] }
        let others = Self.others(in: queue, than: listed, run: run, in: playlist, use)
        guard !others.isEmpty else { return [] }
        let replaced = Self.replaced(others, by: listed, in: playlist, base: base)
        // An encoder that reuses names overwrites files of the older run before it lists them, and may list
        // as many more before the next load as it did before this one.
        let next = others.filter { request in
            listed.last.map { SegmentAddress.leads(from: $0, base, to: request, within: listed.count + 2) }
                ?? false
        }
        let reusedRuns = Set((replaced + next).map(\.segment.identity.run)).subtracting([run])
        let taken = Set(replaced.map(\.segment.identity))
        return giveUp(
            others.filter {
                taken.contains($0.segment.identity) || reusedRuns.contains($0.segment.identity.run)
            }, of: id)
    }

    /// The requests for segments of the same source that a playlist does not list.
    private static func others(
        in queue: Queue, than listed: [ListedSegment], run: Int64, in playlist: MediaPlaylist,
        _ use: SourceUse,
    ) -> [SegmentRequest] {
        let identities = Set(listed.lazy.map(\.identity))
        let first = playlist.number(at: 0)
        return (queue.running.map(\.request) + queue.notRunning).filter { request in
            let segment = request.segment
            guard request.use.source.url == use.source.url, !identities.contains(segment.identity) else {
                return false
            }
            // Within a run each range of a file is written once.
            return segment.identity.run != run
                || segment.entry.byteRange == nil
                    && !playlist.segments.indices.contains(Int(clamping: segment.listedNumber &- first))
        }
    }

    /// The requests whose address a listed segment has.
    private static func replaced(
        _ requests: [SegmentRequest], by listed: [ListedSegment], in playlist: MediaPlaylist, base: HTTPURL,
    ) -> [SegmentRequest] {
        func replaced(isByPath: Bool) -> [SegmentRequest] {
            let taken = Set(
                listed.lazy.filter { !$0.entry.isGap }.compactMap {
                    SegmentAddress($0.entry, base: base, isByPath: isByPath)
                })
            return requests.filter { SegmentAddress($0, isByPath: isByPath).map(taken.contains) ?? false }
        }
        let byPath = replaced(isByPath: true)
        return byPath.isEmpty || SegmentAddress.differByPath(playlist) ? byPath : replaced(isByPath: false)
    }

    /// Gives up requests of a rendition; running ones are marked as replaced.
    ///
    /// - Returns: those that are not running
    private mutating func giveUp(_ requests: [SegmentRequest], of id: RenditionID) -> [SegmentRequest] {
        let gone = Set(requests.map(\.segment.identity))
        let running = (queues[id]?.running ?? []).map(\.request.segment.identity)
        for index in running.indices where gone.contains(running[index]) {
            queues[id]?.running[index].isReplaced = true
        }
        for identity in gone { drop(identity) }
        return requests.filter { !running.contains($0.segment.identity) }
    }

    /// Marks retries as doubtful if a doubtful playlist lists their addresses.
    ///
    /// The playlist may belong to another source run.
    ///
    /// Doubtful retries wait, and bytes that arrive for them are not stored, until a playlist is accepted or
    /// `Limits.doubt(of:)` has passed. A retry with the same date in the playlist is not doubtful.
    mutating func markDoubtful(
        _ playlist: MediaPlaylist, of id: RenditionID, _ use: SourceUse, base: HTTPURL, now: SteadyInstant,
    ) {
        guard queues[id]?.isEmpty == false else { return }
        let retried = (queues[id]?.retried ?? []).filter { $0.use.source.url == use.source.url }
        guard !retried.isEmpty else { return }
        let names = Set(retried.map { SeenEntry.name(of: $0.segment.entry) })
        let entries = playlist.segments.lazy.filter { names.contains(SeenEntry.name(of: $0)) }
        let listed = Dictionary(
            entries.compactMap { entry in SegmentAddress(entry, base: base).map { ($0, entry) } },
            uniquingKeysWith: { first, _ in first })
        let doubted = retried.filter { request in
            guard let entry = SegmentAddress(request).flatMap({ listed[$0] }) else { return false }
            let date = request.segment.entry.programDateTimeMicroseconds
            return date == nil || date != entry.programDateTimeMicroseconds
        }
        markDoubtful(doubted, of: id, until: now + Limits.doubt(of: playlist))
    }

    /// Marks the retries of the other renditions as doubtful, because one rendition has started another
    /// source run.
    mutating func markDoubtful(except id: RenditionID, _ use: SourceUse, until time: SteadyInstant) {
        for other in queues.keys where other != id {
            markDoubtful((queues[other]?.retried ?? []).filter { $0.use == use }, of: other, until: time)
        }
    }

    private mutating func markDoubtful(
        _ requests: [SegmentRequest], of id: RenditionID, until time: SteadyInstant
    ) {
        guard var queue = queues[id], !requests.isEmpty else { return }
        let doubted = Set(requests.map(\.segment.identity))
        queue.doubted.formUnion(doubted)
        queue.doubtedUntil = queue.doubtedUntil ?? time
        let waiting = (queue.waiting + queue.postponed).filter { doubted.contains($0.segment.identity) }
        queue.waiting.removeAll { doubted.contains($0.segment.identity) }
        queue.postponed.removeAll { doubted.contains($0.segment.identity) }
        queue.delayed += waiting.map { DelayedRequest(request: $0, until: time) }
        queues[id] = queue
    }

    /// Whether downloaded bytes belong to the segment that was requested.
    func ownership(of identity: SegmentIdentity, now: SteadyInstant) -> Ownership {
        queues[identity.rendition]?.ownership(of: identity, now: now) ?? .own
    }
}
