import Concurrency
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import AdminAPI

@Suite struct ReadinessTests {
    /// An archive that answers nothing, not even the wish that it end, until it is let go.
    private final class HangingArchive: Sendable {
        let questions = Mutex(0)
        private let gate: AsyncStream<Void>
        private let opener: AsyncStream<Void>.Continuation

        init() { (gate, opener) = AsyncStream.makeStream() }

        var asked: Int { questions.withLock { $0 } }

        func isReachable() async -> Bool {
            questions.withLock { $0 += 1 }
            await Task { [gate] in for await _ in gate {} }.value
            return true
        }

        func goOn() { opener.finish() }
    }

    @Test("A part that hangs is reported in time and checked once, and readiness returns when it does")
    func hanging() async throws {
        let archive = HangingArchive()
        try await withAdmin(archiveIsReachable: archive.isReachable) { admin async throws in
            defer { archive.goOn() }
            for _ in 0..<2 {
                // A slow machine takes its time; without an answer this is the end.
                let request = Task { try? await admin.send(.get, "/readyz") }
                let answer = try #require(await request.value(within: .seconds(60), by: .system) ?? nil)
                #expect(try answer.isProblem(503))
                #expect(try answer.string("archive") == "unreachable")
                try await eventually("the question") { archive.asked > 0 }
            }
            #expect(archive.asked == 1)
            archive.goOn()
            try await eventually("readiness") { try await admin.send(.get, "/readyz").status == 200 }
        }
    }
}
