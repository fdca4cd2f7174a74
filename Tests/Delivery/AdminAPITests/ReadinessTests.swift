import Concurrency
import HTTP
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@testable import AdminAPI

@Suite struct ReadinessTests {
    /// An archive that does not answer, not even after cancellation, until `answer` is called.
    private final class UnresponsiveArchive: Sendable {
        let questions = Mutex(0)
        private let answered: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation

        init() { (answered, continuation) = AsyncStream.makeStream() }

        var asked: Int { questions.withLock { $0 } }

        func isReachable() async -> Bool {
            questions.withLock { $0 += 1 }
            await Task { [answered] in for await _ in answered {} }.value
            return true
        }

        func answer() { continuation.finish() }
    }

    @Test("A part that hangs is reported in time and checked once, and readiness returns when it does")
    func hanging() async throws {
        let archive = UnresponsiveArchive()
        try await withAdmin(archiveIsReachable: archive.isReachable) { admin async throws in
            defer { archive.answer() }
            for _ in 0..<2 {
                // A slow machine takes its time; without an answer this is the end.
                let request = Task { try? await admin.send(.get, "/readyz") }
                let answer = try #require(await request.value(within: .seconds(60), by: .system) ?? nil)
                #expect(answer.isProblem(503))
                #expect(try answer.string("archive") == "unreachable")
                try await eventually("the question") { archive.asked > 0 }
            }
            #expect(archive.asked == 1)
            archive.answer()
            try await eventually("readiness") { try await admin.send(.get, "/readyz").status == 200 }
        }
    }
}
