import Concurrency
import Testing

/// Lets only a few suites run at once.
///
/// Each stack is five processes; all of them at once would make every wait too long on a small machine. The
/// time limits of the tests begin when their suite begins.
struct LimitedStacks: SuiteTrait, TestScoping {
    private static let stacks = AsyncSemaphore(permits: 3)

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.stacks.withPermit { try await function() }
    }
}

extension Trait where Self == LimitedStacks {
    /// The suite waits until fewer than the allowed number of suites run.
    static var limitedStacks: Self { LimitedStacks() }
}
