import Synchronization
import TestSupport
import Testing

@testable import Concurrency

@Suite("Work that is shared", .timeLimit(.minutes(5)))
struct SharedWorkTests {
    /// Work that waits to be let through or cancelled, and counts how often it began and was cancelled.
    private final class Source: Sendable {
        let counts = Mutex((begun: 0, cancelled: 0))
        private let gate: AsyncStream<Void>
        let opener: AsyncStream<Void>.Continuation

        init() { (gate, opener) = AsyncStream.makeStream() }

        var begun: Int { counts.withLock { $0.begun } }
        var cancelled: Int { counts.withLock { $0.cancelled } }

        func work() async throws(TestFailure) -> Int {
            let number = counts.withLock { counts in
                counts.begun += 1
                return counts.begun
            }
            for await _ in gate { break }
            if Task.isCancelled {
                counts.withLock { $0.cancelled += 1 }
                throw TestFailure("cancelled")
            }
            return number
        }
    }

    private let shared = SharedWork<String, Int, TestFailure>()
    private let source = Source()

    private func asking(_ key: String = "a") -> Task<Int, any Error> {
        Task { [shared, source] in
            try await shared.value(of: key) { () async throws(TestFailure) in try await source.work() }
        }
    }

    @Test("All who ask while it runs get the outcome of one; who asks later begins another")
    func shared() async throws {
        let tasks = (0..<20).map { _ in asking() }
        try await eventually("the work") { source.begun == 1 && shared.askers(of: "a") == 20 }
        source.opener.finish()
        for task in tasks { #expect(try await task.value == 1) }
        #expect(try await asking().value == 2)
    }

    @Test("Different keys share nothing")
    func keys() async throws {
        let (one, other) = (asking("a"), asking("b"))
        try await eventually("both") { source.begun == 2 }
        source.opener.finish()
        #expect(try await one.value + other.value == 3)
    }

    @Test("It goes on when the first one leaves, and is cancelled with the last")
    func leaving() async throws {
        let first = asking()
        try await eventually("the work") { source.begun == 1 }
        let second = asking()
        try await eventually("the second one") { shared.askers(of: "a") == 2 }
        first.cancel()
        try await eventually("the end of the first one") { shared.askers(of: "a") == 1 }
        #expect(source.cancelled == 0)
        second.cancel()
        await #expect(throws: TestFailure.self) { try await first.value }
        await #expect(throws: TestFailure.self) { try await second.value }
        #expect(source.begun == 1 && source.cancelled == 1)
        // What was left is not joined.
        let third = asking()
        try await eventually("other work") { source.begun == 2 }
        third.cancel()
    }

    @Test("A failure is told to all")
    func failure() async throws {
        let shared = SharedWork<Int, Int, TestFailure>()
        await #expect(throws: TestFailure.self) {
            try await shared.value(of: 1) { () async throws(TestFailure) in throw TestFailure("the work") }
        }
    }
}
