import Concurrency
import Synchronization
import TestSupport
import Testing

@Suite("Turns that clients share")
struct ClientTurnsTests {
    /// Work that goes on until it is let go.
    private final class Work: Sendable {
        private let names = Mutex<[String]>([])
        private let isOpen = Atomic(false)

        var begun: [String] { names.withLock { $0 } }

        func run(_ name: String) async {
            names.withLock { $0.append(name) }
            while !isOpen.load(ordering: .relaxed), !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(5))
            }
        }

        func finish() { isOpen.store(true, ordering: .relaxed) }
    }

    private let clientWaiting = 16
    private let time = ManualClock()
    private let work = Work()

    /// Turns whose clock stands still, so that no wait ends, unless a test moves it.
    private func turns() -> ClientTurns {
        ClientTurns(
            4, perClient: 2, waiting: 64, clientWaiting: clientWaiting, timeout: .seconds(2),
            clock: time.clock)
    }

    @Test("A client has its share, its next work waits, and others have their turns meanwhile")
    func share() async throws {
        let turns = turns()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask { _ = await turns.withTurn(for: "a") { await work.run("a\(number)") } }
            }
            try await eventually("a share") { work.begun.count == 2 }
            group.addTask { _ = await turns.withTurn(2, for: "b") { await work.run("b") } }
            try await eventually("the other client") { work.begun.contains("b") }
            #expect(work.begun.count == 3)
            work.finish()
            try await group.waitForAll()
        }
        #expect(work.begun.count == 5)
    }

    @Test("More work of a client than may wait is refused at once")
    func flood() async throws {
        let turns = turns()
        let places = 2 + clientWaiting
        let refused = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<2 * places {
                group.addTask { await turns.withTurn(for: "a") { await work.run("a") } == nil }
            }
            var refused = 0
            for await isRefused in group where isRefused {
                refused += 1
                // All others have a place now, and two of them their turn.
                if refused == places { work.finish() }
            }
            return refused
        }
        #expect(refused == places && work.begun.count == places)
    }

    @Test("Waiting work is refused after the timeout; running work continues")
    func timeout() async throws {
        let turns = turns()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<2 {
                group.addTask { await turns.withTurn(for: "a") { await work.run("a") } != nil }
            }
            try await eventually("a share") { work.begun.count == 2 }
            let late = Task { await turns.withTurn(for: "a") { await work.run("late") } == nil }
            try await time.sleepers()
            time.advance(by: .seconds(2))
            #expect(await late.value)
            work.finish()
            for try await isDone in group { #expect(isDone) }
        }
        #expect(work.begun == ["a", "a"])
    }
}
