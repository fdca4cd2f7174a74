package import Catalogue
package import Concurrency
import Timeline

/// Commits the batches of all channels: those that wait share one transaction, and there is a pause between
/// two.
///
/// A batch that would wait for a lock, or that the database refuses, does not delay other channels: it is
/// committed alone.
package actor GroupCommitter {
    /// Where batches are committed.
    struct Target: Sendable {
        /// Commits batches of one channel or more without waiting for locks; returns whether each lease was
        /// still held, by channel row.
        ///
        /// A channel without a result was left out and has to be committed alone.
        var together: @Sendable ([Batch]) async throws(CatalogueError) -> [Int32: Bool]
        /// Commits one batch; whether the lease was still held.
        var alone: @Sendable (Batch) async throws(CatalogueError) -> Bool
    }

    private struct Waiter {
        var batch: Batch
        var answer: CheckedContinuation<Result<Bool, CatalogueError>, Never>
    }

    private let target: Target
    private let clock: HostClock
    /// Batches that are committed alone may wait for locks: they do not take all connections.
    private let alone = AsyncSemaphore(permits: Limits.batchesAlone)
    /// The pause between two transactions for each channel that has had facts lately.
    private let pause: Duration
    /// When the channels had facts last.
    private var recent: [Int32: SteadyInstant] = [:]
    private var waiters: [Int: Waiter] = [:]
    /// Batches that are not on their way yet, in order.
    private var queue: [Int] = []
    private var arrivals = 0
    private var isRunning = false
    /// When the next transaction may begin.
    private var pausedUntil: SteadyInstant?

    package init(catalogue: Catalogue, clock: HostClock) {
        self.init(
            Target(
                together: { (batches) async throws(CatalogueError) in try await catalogue.commit(batches) },
                alone: { (batch) async throws(CatalogueError) in try await catalogue.commit(batch) }),
            clock: clock)
    }

    init(_ target: Target, clock: HostClock, pause: Duration = Limits.transactionInterval) {
        self.target = target
        self.pause = pause
        self.clock = clock
    }

    /// Commits a batch, in its turn; a cancelled task does not wait for the result.
    ///
    /// - Returns: whether the lease was still held
    package func commit(_ batch: Batch) async throws(CatalogueError) -> Bool {
        arrivals += 1
        let number = arrivals
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { answer in
                waiters[number] = Waiter(batch: batch, answer: answer)
                queue.append(number)
                if Task.isCancelled { settle(number, .failure(.notInTime)) }
                start()
            }
        } onCancel: {
            Task { await settle(number, .failure(.notInTime)) }
        }
        return try result.get()
    }

    /// How many batches have no result yet.
    var waitingCount: Int { waiters.count }

    private func settle(_ number: Int, _ result: Result<Bool, CatalogueError>) {
        waiters.removeValue(forKey: number)?.answer.resume(returning: result)
    }

    private func start() {
        guard !isRunning else { return }
        isRunning = true
        Task {
            while true {
                if let pausedUntil { try? await clock.sleep(until: pausedUntil) }
                let group = nextGroup()
                if group.isEmpty { break }
                await commit(group)
            }
            isRunning = false
        }
    }

    /// The first batches that wait, one of each channel and no more facts than one transaction takes.
    private func nextGroup() -> [Int] {
        var group: [Int] = []
        var rest: [Int] = []
        var channels: Set<Int32> = []
        var factCount = 0
        var isFull = false
        for number in queue {
            guard let batch = waiters[number]?.batch else { continue }
            if factCount < Limits.factsPerTransaction, channels.insert(batch.channel).inserted {
                group.append(number)
                factCount += batch.factCount
                isFull = isFull || batch.factCount >= Limits.factsPerBatch
            } else {
                rest.append(number)
            }
        }
        queue = rest
        let now = clock.steady()
        for channel in channels { recent[channel] = now }
        recent = recent.filter { $0.value + Limits.recentCommit >= now }
        let interval = min(pause * recent.count, Limits.longestTransactionInterval)
        pausedUntil = isFull || !rest.isEmpty ? nil : now + interval
        return group
    }

    private func commit(_ numbers: [Int]) async {
        let batches = numbers.compactMap { waiters[$0]?.batch }
        let held: [Int32: Bool]
        do {
            held = try await target.together(batches)
        } catch {
            for number in numbers { settle(number, .failure(error)) }
            return
        }
        for number in numbers {
            guard let batch = waiters[number]?.batch else { continue }
            if let isHeld = held[batch.channel] {
                settle(number, .success(isHeld))
            } else {
                Task { [target, alone] in
                    let result = await alone.withPermit {
                        await Result(of: { () throws(CatalogueError) in try await target.alone(batch) })
                    }
                    settle(number, result ?? .failure(.notInTime))
                }
            }
        }
    }
}
