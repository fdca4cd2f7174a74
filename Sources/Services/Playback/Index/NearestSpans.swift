import Catalogue
import Concurrency
import Synchronization
import Timeline

/// The spans that recent 404 responses offered: clients that repeat a request cost few queries, even while
/// the channel is being recorded.
final class NearestSpans: Sendable {
    struct CacheKey: Hashable {
        var channel: Int32
        /// The quarters of an hour that the requested window touches.
        var quarters: TimeWindow
    }

    private struct Found {
        var spans: [TimeWindow]
        /// The revision of the channel; another one may hold more.
        var revision: Int64?
        var since: SteadyInstant
    }

    private let known = Mutex<[CacheKey: Found]>([:])

    /// The spans, in any order; nil if they have to be searched for.
    func spans(_ place: CacheKey, revision: Int64?, now: SteadyInstant) -> [TimeWindow]? {
        guard let found = known.withLock({ $0[place] }) else { return nil }
        let isCurrent = revision != nil && revision == found.revision
        return isCurrent || now - found.since < Limits.nearestSpansAge ? found.spans : nil
    }

    func keep(_ spans: [TimeWindow], for place: CacheKey, revision: Int64?, now: SteadyInstant) {
        known.withLock { known in
            if known.count >= Limits.cachedSearches { known.removeAll() }
            known[place] = Found(spans: spans, revision: revision, since: now)
        }
    }
}

extension TimeWindow {
    /// The quarters of an hour that it touches, at least one.
    var wholeQuarters: TimeWindow {
        let first = Quarter(rendition: 0, containing: begin.microseconds)
        let last = Quarter(rendition: 0, containing: Swift.max(begin.microseconds, end.microseconds - 1))
        return TimeWindow(
            begin: Instant(microseconds: first.begin),
            end: Instant(microseconds: last.begin) + Quarter.microseconds)
    }
}
