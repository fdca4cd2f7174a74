import Concurrency
import Synchronization
import TestSupport
import Testing

@testable import Playback

@Suite("Queries that requests share")
struct HeadConfirmationsTests {
    /// Counts rounds, and lets them hang.
    private final class Rounds: Sendable {
        private let counts = Mutex((begun: 0, ended: 0, hangs: false))

        var begun: Int { counts.withLock { $0.begun } }
        var ended: Int { counts.withLock { $0.ended } }
        var hangs: Bool {
            get { counts.withLock { $0.hangs } }
            set { counts.withLock { $0.hangs = newValue } }
        }

        func ask() async {
            counts.withLock { $0.begun += 1 }
            while hangs { try? await Task.sleep(for: .milliseconds(5)) }
            counts.withLock { $0.ended += 1 }
        }
    }

    @Test("Each waits for a round that begins after it came, and many share one") func shared() async {
        let (confirmations, rounds) = (HeadConfirmations(), Rounds())
        let begun = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try? await Task.sleep(for: .milliseconds(number % 20 * 5))
                    let before = rounds.begun
                    // A busy machine may take too long for it.
                    let isInTime = await confirmations.round(.system) { await rounds.ask() }
                    #expect(!isInTime || rounds.ended > before)
                }
            }
        }
        // The first one, and one more after each pause at most: a busy machine takes its time.
        let pauses = (ContinuousClock.now - begun) / Limits.confirmationPause
        #expect(Double(rounds.begun) <= 1 + pauses)
    }

    @Test("Requests stop waiting for a query that hangs, and no other query starts meanwhile")
    func hanging() async throws {
        let (confirmations, rounds) = (HeadConfirmations(), Rounds())
        rounds.hangs = true
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask {
                    try? await Task.sleep(for: .milliseconds(number * 200))
                    #expect(await !confirmations.round(.system) { await rounds.ask() })
                }
            }
        }
        #expect(rounds.begun == 1)
        rounds.hangs = false
        try await eventually("the end of the question") { rounds.ended == 1 }
        try await eventually("another round") {
            await confirmations.round(.system) { await rounds.ask() }
        }
        #expect(rounds.begun >= 2)
    }
}
