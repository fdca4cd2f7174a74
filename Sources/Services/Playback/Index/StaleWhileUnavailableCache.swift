import Catalogue
import Concurrency
import Synchronization

/// Caches values of the catalogue for a short time, and for longer while the catalogue is unavailable.
///
/// Concurrent requests for one key share a single read.
final class StaleWhileUnavailableCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A value and the latest instant at which it is known to have been current.
    ///
    /// An object, because each request reads some, and a copy of a channel or of a head has many parts.
    final class Known: Sendable {
        let value: Value
        let asOf: SteadyInstant

        init(value: Value, asOf: SteadyInstant) {
            (self.value, self.asOf) = (value, asOf)
        }
    }

    /// Reads the current value of a key, given the cached one; nil if there is no such value.
    typealias Reading = @Sendable (Known?) async -> Result<Value?, CatalogueError>

    private typealias Outcome = Result<Known?, CatalogueError>

    /// A running read: its final outcome, and its outcome if it arrived within `Limits.readTimeout`, for
    /// callers that have a stale value.
    private struct Running {
        var outcome: Task<Outcome, Never>
        var outcomeInTime: Task<Outcome?, Never>
    }

    private struct Entry {
        var known: Known
        var expired: SteadyInstant?
        /// When a request last wanted the value.
        var used: SteadyInstant

        func isFresh(at now: SteadyInstant) -> Bool {
            expired == nil && now - known.asOf <= Limits.freshnessLifetime
        }
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var readings: [Key: Running] = [:]
        /// When the catalogue last failed or took too long; nil again after a read that succeeded.
        var failed: SteadyInstant?
        /// Callers that wait for a read because they have no value that they could use instead.
        var waiting = 0
    }

    private enum Lookup {
        case use(Known)
        case wait(Running, stale: Known)
        /// There is no value that the caller could use instead.
        case waitForFirst(Running)
        case refuse
    }

    private let capacity: Int
    private let maxStaleAge: Duration
    private let clock: HostClock
    private let state = Mutex(State())

    /// Stores at most `capacity` values, each for at most `maxStaleAge` while the catalogue is unavailable.
    init(capacity: Int, maxStaleAge: Duration, clock: HostClock) {
        self.capacity = capacity
        self.maxStaleAge = maxStaleAge
        self.clock = clock
    }

    /// The value of a key, at most `Limits.freshnessLifetime` old.
    ///
    /// While the catalogue fails or does not answer, the value may be older. A slow read is never cancelled,
    /// so that its value arrives in the end. Without an older value, callers wait for a limited time, and
    /// while the catalogue fails only few of them do: they must not keep others from values that are known.
    func value(of key: Key, reading: @escaping Reading) async throws(CatalogueError) -> Known? {
        switch lookUp(at: key, reading) {
        case .use(let known): return known
        case .wait(let running, let stale):
            switch await running.outcomeInTime.value {
            case .success(let read)?: return read
            case .failure(let error)? where !error.isTransient: throw error
            default: return stale
            }
        case .waitForFirst(let running):
            defer { state.withLock { $0.waiting -= 1 } }
            let outcome = await running.outcome.value(within: Limits.firstReadTimeout, by: clock)
            guard let outcome else { throw .notInTime }
            return try outcome.get()
        case .refuse: throw .notInTime
        }
    }

    /// Reads a value again, even if the cached one is fresh; after an error the cached value stays.
    ///
    /// A key never has two reads at a time, so an older one cannot finish last. A read that is already
    /// running may have begun too early, so another one follows it. A slow read is not waited for.
    func refresh(_ key: Key, reading: @escaping Reading) async {
        for _ in 0..<2 {
            let (running, isOwn) = state.withLock { state in
                if let running = state.readings[key] { return (running, false) }
                return (begin(key, reading, &state), true)
            }
            let outcome = await running.outcomeInTime.value
            if isOwn || outcome == nil { return }
        }
    }

    /// The value of a key if it is at most `Limits.freshnessLifetime` old.
    func fresh(_ key: Key) -> Known? {
        let now = clock.steady()
        return state.withLock { state in
            guard let place = state.entries.index(forKey: key),
                state.entries.values[place].isFresh(at: now)
            else { return nil }
            state.entries.values[place].used = now
            return state.entries.values[place].known
        }
    }

    private func lookUp(at key: Key, _ reading: @escaping Reading) -> Lookup {
        let now = clock.steady()
        return state.withLock { state in
            state.entries[key]?.used = now
            guard let entry = state.entries[key] else { return lookUpFirst(at: key, reading, &state) }
            if entry.isFresh(at: now) { return .use(entry.known) }
            guard isUsable(entry.known) else { return lookUpFirst(at: key, reading, &state) }
            if let failed = state.failed, now - failed < Limits.retryPause { return .use(entry.known) }
            return .wait(state.readings[key] ?? begin(key, reading, &state), stale: entry.known)
        }
    }

    private func lookUpFirst(at key: Key, _ reading: @escaping Reading, _ state: inout State) -> Lookup {
        if state.failed != nil, state.waiting >= Limits.firstReadsWhileFailing { return .refuse }
        state.waiting += 1
        return .waitForFirst(state.readings[key] ?? begin(key, reading, &state))
    }

    private func isUsable(_ known: Known) -> Bool {
        clock.steady() - known.asOf <= maxStaleAge
    }

    private func begin(_ key: Key, _ reading: @escaping Reading, _ state: inout State) -> Running {
        let known = state.entries[key]?.known
        let outcome = Task {
            let began = self.clock.steady()
            let outcome = await reading(known).map { $0.map { Known(value: $0, asOf: began) } }
            self.finish(key, outcome)
            return outcome
        }
        let running = Running(outcome: outcome, outcomeInTime: Task { await self.outcomeInTime(outcome) })
        state.readings[key] = running
        return running
    }

    /// The outcome of a read if it arrives in time.
    ///
    /// If not, callers with a stale value stop waiting for a while.
    private func outcomeInTime(_ outcome: Task<Outcome, Never>) async -> Outcome? {
        let outcomeInTime = await outcome.value(within: Limits.readTimeout, by: clock)
        if outcomeInTime == nil { state.withLock { $0.failed = clock.steady() } }
        return outcomeInTime
    }

    private func finish(_ key: Key, _ outcome: Outcome) {
        state.withLock { state in
            state.readings[key] = nil
            switch outcome {
            case .success(let known?): keep(known, for: key, &state)
            case .success(nil):
                state.failed = nil
                state.entries[key] = nil
            case .failure(let error): if error.isTransient { state.failed = clock.steady() }
            }
        }
    }

    private func keep(_ known: Known, for key: Key, _ state: inout State) {
        state.failed = nil
        if state.entries.count >= capacity, state.entries[key] == nil,
            let oldest = state.entries.min(by: { $0.value.known.asOf < $1.value.known.asOf })?.key
        {
            state.entries[oldest] = nil
        }
        // A change that was announced during the read may not be in its result.
        let expired = state.entries[key]?.expired.flatMap { $0 > known.asOf ? $0 : nil }
        let used = state.entries[key]?.used ?? known.asOf
        state.entries[key] = Entry(known: known, expired: expired, used: used)
    }
}

/// Reactions to announced changes.
extension StaleWhileUnavailableCache {
    func known(_ key: Key) -> Value? {
        state.withLock { $0.entries[key]?.known.value }
    }

    /// The latest instant at which the value of a key is known to have been current.
    func asOf(_ key: Key) -> SteadyInstant? {
        state.withLock { $0.entries[key]?.known.asOf }
    }

    /// The values that requests wanted lately.
    ///
    /// Only these are followed: a request for another one finds it stale and reads it.
    var inUse: [Key: Value] {
        let since = clock.steady() - Limits.recentUse
        return state.withLock { $0.entries.filter { $0.value.used >= since }.mapValues(\.known.value) }
    }

    func isInUse(_ key: Key) -> Bool {
        let since = clock.steady() - Limits.recentUse
        return state.withLock { $0.entries[key].map { $0.used >= since } ?? false }
    }

    /// Whether the catalogue failed or took too long a moment ago.
    var isFailing: Bool {
        let now = clock.steady()
        return state.withLock { $0.failed.map { now - $0 < Limits.retryPause } ?? false }
    }

    /// Makes the next request read the value again.
    func expire(_ key: Key) {
        state.withLock { $0.entries[key]?.expired = clock.steady() }
    }

    func expireAll() {
        let now = clock.steady()
        state.withLock { state in
            for key in state.entries.keys { state.entries[key]?.expired = now }
        }
    }

    /// Confirms values that were still current at an instant.
    func confirm(asOf instant: SteadyInstant, where isPresent: (Key, Value) -> Bool) {
        state.withLock { state in
            for (key, entry) in state.entries
            where entry.known.asOf < instant && isPresent(key, entry.known.value) {
                state.entries[key]?.known = Known(value: entry.known.value, asOf: instant)
            }
        }
    }
}
