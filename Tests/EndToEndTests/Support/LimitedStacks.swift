import Concurrency
import Testing

/// Lets only a few suites run at once.
///
/// Each stack is five processes; all of them together make every wait a matter of luck on a small machine.
/// The time limits of the tests begin when their suite has its turn.
struct Turn: SuiteTrait, TestScoping {
    private static let stacks = AsyncSemaphore(permits: 3)

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.stacks.withPermit { try await function() }
    }
}

extension Trait where Self == Turn {
    /// The suite waits until it is its turn.
    static var inTurn: Self { Turn() }
}
