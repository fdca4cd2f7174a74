import Catalogue
import Synchronization

/// Answers of the catalogue, kept for a short time; while it is away they count for longer.
///
/// Whoever asks for the same at the same time waits for one reading.
final class Remembered<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// A value and when it was the present one.
    struct Known: Sendable {
        var value: Value
        var asOf: ContinuousClock.Instant
    }

    /// Reads the present value of a key, given the one that is known; nil if there is none.
    typealias Reading = @Sendable (Known?) async -> Result<Value?, CatalogueError>

    private enum Outcome: Sendable {
        case read(Known?)
        case failed(CatalogueError)
    }

    private struct Entry {
        var known: Known
        var expired: ContinuousClock.Instant?
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var readings: [Key: Task<Outcome, Never>] = [:]
        var failed: ContinuousClock.Instant?
    }

    private enum Glance {
        case use(Known)
        case wait(Task<Outcome, Never>, known: Known?)
    }

    private let capacity: Int
    private let away: Duration
    private let state = Mutex(State())

    /// Keeps at most so many values, each for at most `away` while the catalogue does not answer.
    init(capacity: Int, away: Duration) {
        self.capacity = capacity
        self.away = away
    }

    /// The value of a key, at most `Limits.knownFor` old; the last known one while the catalogue is away.
    func value(of key: Key, reading: @escaping Reading) async throws(CatalogueError) -> Known? {
        switch glance(at: key, reading) {
        case .use(let known): return known
        case .wait(let task, let known):
            switch await task.value {
            case .read(let read): return read
            case .failed(let error):
                guard error.isTransient, let known, isUsable(known) else { throw error }
                return known
            }
        }
    }

    /// Reads a value anew, whatever is known; an error leaves the known one.
    ///
    /// There is never more than one reading of a key, so that an older one cannot come in last. One that runs already
    /// may have begun too early; the one after it has not.
    func renew(_ key: Key, reading: @escaping Reading) async {
        for _ in 0..<2 {
            let (task, isOwn) = state.withLock { state in
                if let running = state.readings[key] { return (running, false) }
                return (begin(key, reading, &state), true)
            }
            _ = await task.value
            if isOwn { return }
        }
    }

    private func glance(at key: Key, _ reading: @escaping Reading) -> Glance {
        let now = ContinuousClock.now
        return state.withLock { state in
            let entry = state.entries[key]
            if let entry, entry.expired == nil, now - entry.known.asOf <= Limits.knownFor {
                return .use(entry.known)
            }
            if let entry, let failed = state.failed, now - failed < Limits.retryPause, isUsable(entry.known) {
                return .use(entry.known)
            }
            let task = state.readings[key] ?? begin(key, reading, &state)
            return .wait(task, known: entry?.known)
        }
    }

    private func isUsable(_ known: Known) -> Bool {
        ContinuousClock.now - known.asOf <= away
    }

    private func begin(
        _ key: Key, _ reading: @escaping Reading, _ state: inout State,
    ) -> Task<Outcome, Never> {
        let known = state.entries[key]?.known
        let task = Task {
            let outcome = await Self.outcome(of: reading, known)
            self.finish(key, outcome)
            return outcome
        }
        state.readings[key] = task
        return task
    }

    private func finish(_ key: Key, _ outcome: Outcome) {
        state.withLock { state in
            state.readings[key] = nil
            switch outcome {
            case .read(let known?): keep(known, for: key, &state)
            case .read(nil): state.entries[key] = nil
            case .failed(let error): if error.isTransient { state.failed = .now }
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
        // A change that came while this was read may not be in it.
        let expired = state.entries[key]?.expired.flatMap { $0 > known.asOf ? $0 : nil }
        state.entries[key] = Entry(known: known, expired: expired)
    }

    private static func outcome(of reading: @escaping Reading, _ known: Known?) async -> Outcome {
        let began = ContinuousClock.now
        let answer = known == nil ? await reading(nil) : await inTime { await reading(known) }
        switch answer {
        case .success(let value)?: return .read(value.map { Known(value: $0, asOf: began) })
        case .failure(let error)?: return .failed(error)
        case nil: return .failed(.notInTime)
        }
    }

    /// Nobody waits for long who has something else to go by.
    private static func inTime(
        _ body: @escaping @Sendable () async -> Result<Value?, CatalogueError>,
    ) async -> Result<Value?, CatalogueError>? {
        await withTaskGroup(of: Result<Value?, CatalogueError>?.self) { group in
            group.addTask { await body() }
            group.addTask {
                try? await Task.sleep(for: Limits.readingTime)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}

/// What is heard of changes.
extension Remembered {
    func known(_ key: Key) -> Value? {
        state.withLock { $0.entries[key]?.known.value }
    }

    var all: [Key: Value] {
        state.withLock { $0.entries.mapValues(\.known.value) }
    }

    /// Has a value read anew when it is next asked for.
    func expire(_ key: Key) {
        state.withLock { $0.entries[key]?.expired = .now }
    }

    func expireAll() {
        let now = ContinuousClock.now
        state.withLock { state in
            for key in state.entries.keys { state.entries[key]?.expired = now }
        }
    }

    /// Values that were still the present ones at an instant.
    func confirm(asOf instant: ContinuousClock.Instant, where isPresent: (Key, Value) -> Bool) {
        state.withLock { state in
            for (key, entry) in state.entries
            where entry.known.asOf < instant && isPresent(key, entry.known.value) {
                state.entries[key]?.known.asOf = instant
            }
        }
    }
}
