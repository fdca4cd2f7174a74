import Testing

/// Lets only a few suites run at once.
///
/// Each stack is five processes; all of them together make every wait a matter of luck on a small machine. The time
/// limits of the tests begin when their suite has its turn.
struct Turn: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await Turns.shared.take()
        do {
            try await function()
        } catch {
            await Turns.shared.giveBack()
            throw error
        }
        await Turns.shared.giveBack()
    }
}

extension Trait where Self == Turn {
    /// The suite waits until it is its turn.
    static var inTurn: Self { Turn() }
}

/// The turns there are; who waits gets one in the order of asking.
private actor Turns {
    static let shared = Turns()

    private var free = 3
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
