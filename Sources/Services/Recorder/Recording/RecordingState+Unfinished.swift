import Catalogue
import Concurrency
import Timeline

/// Continues the fetches that the previous recorder did not finish.
extension RecordingState {
    /// What was listed and is neither stored nor lost; the source need not list it for much longer.
    package var unfinished: [SegmentRequest] { inherited + fetches.unfinished }

    /// Continues the downloads that the previous recorder did not finish.
    ///
    /// A segment that cannot come any more is lost with a reason. Without one, the gap would be blamed on the
    /// recorder.
    mutating func resumeFetches(_ requests: [SegmentRequest], now: SteadyInstant) {
        var uses: [Int: SourceUse] = [:]
        let missing = requests.filter { !progress.holds($0.segment.placed) }
        let byRendition = Dictionary(grouping: missing, by: \.segment.identity.rendition)
        for (id, requests) in byRendition.sorted(by: { $0.key < $1.key }) {
            let requests = requests.sorted { $0.segment.placed.start < $1.segment.placed.start }
            publication.open(id, now: now)
            publication.listed(
                requests.filter { $0.held == nil }.map(\.segment.placed), now: now)
            for var request in requests {
                if request.held == nil { progress.resume(request.segment.placed, digest: []) }
                guard request.segment.availableUntil > now, let source = present(request.use.source) else {
                    // What is stored of a segment stays.
                    if request.held != nil { continue }
                    let failure = FetchFailure(.segmentExpired, "not fetched before a restart")
                    lose(request.segment.placed, failure)
                    searchForExpired(request.segment.placed, notIn: request.use.source)
                    continue
                }
                // Uses of sources count from the beginning in each recorder.
                let use =
                    uses[request.use.number]
                    ?? SourceUse(number: sources.nextUse(), source: source)
                uses[request.use.number] = use
                request.use = use
                fetches.add([request], of: id)
            }
        }
    }

    /// A source as its settings are now; nil where it was removed.
    ///
    /// Another header or token is often what its segments have waited for.
    private func present(_ source: SourceSettings) -> SourceSettings? {
        let all = channel.settings.sources
        if all.contains(source) { return source }
        let identity = SourceClient.identity(source.url)
        return all.first { SourceClient.identity($0.url) == identity }
    }
}

extension ChannelProgress {
    /// Whether the bytes of a segment of the present source run are known to be stored, or those of another
    /// source for its time.
    func holds(_ segment: PlacedSegment) -> Bool {
        let identity = segment.identity
        guard let rendition = renditions[identity.rendition], rendition.run == identity.run else {
            return false
        }
        return !(rendition.digests[identity.number]?.isEmpty ?? true) || rendition.isFilled(segment.window)
    }
}
