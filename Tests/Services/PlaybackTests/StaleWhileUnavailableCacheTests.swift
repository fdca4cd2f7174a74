import Catalogue
import Synchronization
import TestSupport
import Testing

@testable import Playback

struct StaleWhileUnavailableCacheTests {
    /// A catalogue that counts requests; while it hangs it neither answers nor reacts to cancellation.
    private final class Source: Sendable {
        private struct State {
            var value = 0
            var asked = 0
            var isHanging = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())

        var asked: Int { state.withLock { $0.asked } }

        func set(_ value: Int) { state.withLock { $0.value = value } }

        func hang() { state.withLock { $0.isHanging = true } }

        func goOn() {
            let waiting = state.withLock { state in
                state.isHanging = false
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func read() async -> Int {
            await withCheckedContinuation { continuation in
                let answers = state.withLock { state in
                    state.asked += 1
                    if state.isHanging { state.waiting.append(continuation) }
                    return !state.isHanging
                }
                if answers { continuation.resume() }
            }
            return state.withLock { $0.value }
        }
    }

    private let source = Source()
    private let time = ManualClock()
    private let cache: StaleWhileUnavailableCache<String, Int>

    init() {
        cache = StaleWhileUnavailableCache(capacity: 10, maxStaleAge: .seconds(3600), clock: time.clock)
    }

    private func value(_ key: String = "a") async throws -> Int? {
        try await cache.value(of: key) { [source] _ in .success(await source.read()) }?.value
    }

    /// Runs a body while time passes: a request that waits for a hanging catalogue never returns.
    private func whileTimePasses<T>(_ body: () async throws -> T) async rethrows -> T {
        let passing = Task { [time] in
            while !Task.isCancelled {
                time.advance(by: .milliseconds(100))
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        defer { passing.cancel() }
        return try await body()
    }

    @Test(
        "While the catalogue hangs, stale values are used, and the pending read is stored when it finishes"
    )
    func hanging() async throws {
        #expect(try await value() == 0)
        source.set(1)
        source.hang()
        cache.expire("a")
        for _ in 0..<3 { #expect(try await whileTimePasses { try await value() } == 0) }
        #expect(source.asked == 2)
        source.goOn()
        try await eventually("the reading that hung") { cache.known("a") == 1 }
        #expect(source.asked == 2)
    }

    @Test("Refreshing a value while the catalogue hangs does not block later changes")
    func renewing() async throws {
        #expect(try await value() == 0)
        source.hang()
        for _ in 0..<2 {
            await whileTimePasses { await cache.refresh("a") { [source] _ in .success(await source.read()) } }
        }
        #expect(source.asked == 2)
        source.goOn()
    }

    @Test("Without a stale value a caller waits for the read")
    func unknown() async throws {
        source.hang()
        source.set(3)
        let first = Task { try await value() }
        try await eventually("the question") { source.asked == 1 }
        source.goOn()
        #expect(try await first.value == 3)
    }

    @Test("Without a stale value a caller waits for a limited time, and the read goes on")
    func limited() async throws {
        source.hang()
        let refused = Counter()
        let first = Task { if await isRefused("a") { refused.add() } }
        try await whileTimePasses { try await eventually("the refusal") { refused.value == 1 } }
        await first.value
        source.goOn()
        try await eventually("the reading that hung") { cache.known("a") == 0 }
        #expect(source.asked == 1)
    }

    /// Whether a request is told that the catalogue does not answer in time.
    private func isRefused(_ key: String) async -> Bool {
        do {
            _ = try await value(key)
            return false
        } catch {
            return if case .notInTime = error as? CatalogueError { true } else { false }
        }
    }

    @Test("While the catalogue hangs, few callers without a value wait: others are refused at once")
    func flood() async throws {
        source.hang()
        let first = Task { await isRefused("first") }
        // The limits of callers with a stale value and of those without one.
        try await time.sleepers(2)
        time.advance(by: Limits.readTimeout)
        try await eventually("the failure") { cache.isFailing }
        let count = 2 * Limits.firstReadsWhileFailing
        let refused = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { if await isRefused("\(number)") { refused.add() } }
            }
            // Time stands still: the others would wait for ever.
            try? await eventually("the refusals") { refused.value > count - Limits.firstReadsWhileFailing }
            source.goOn()
        }
        #expect(await !first.value)
        #expect(refused.value == count - Limits.firstReadsWhileFailing + 1)
        #expect(source.asked == Limits.firstReadsWhileFailing)
        // The catalogue has answered: any number waits again.
        source.hang()
        let others = (0..<count).map { number in Task { await isRefused("again \(number)") } }
        try await eventually("the questions") { source.asked == Limits.firstReadsWhileFailing + count }
        source.goOn()
        for other in others { #expect(await !other.value) }
    }

    @Test("If the stale value is too old, a caller waits for the read")
    func tooOld() async throws {
        let short = StaleWhileUnavailableCache<String, Int>(
            capacity: 10, maxStaleAge: .zero, clock: time.clock)
        let read: StaleWhileUnavailableCache<String, Int>.Reading = { [source] _ in
            .success(await source.read())
        }
        #expect(try await short.value(of: "a", reading: read)?.value == 0)
        short.expire("a")
        time.advance(by: .milliseconds(1))
        source.set(2)
        #expect(try await short.value(of: "a", reading: read)?.value == 2)
    }
}
