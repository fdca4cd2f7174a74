import Synchronization
import Timeline

/// What a 404 offered lately, so that a client that asks again and again costs no query.
final class NearestSpans: Sendable {
    struct Place: Hashable {
        var channel: Int32
        /// The revision of the channel; another one may hold more.
        var revision: Int64?
        /// The quarter of an hour in which the window begins.
        var quarter: Int64
    }

    private let known = Mutex<[Place: [TimeWindow]]>([:])

    func spans(_ place: Place) -> [TimeWindow]? {
        known.withLock { $0[place] }
    }

    func keep(_ spans: [TimeWindow], for place: Place) {
        guard place.revision != nil else { return }
        known.withLock { known in
            if known.count >= Limits.cachedSearches { known.removeAll() }
            known[place] = spans
        }
    }
}
