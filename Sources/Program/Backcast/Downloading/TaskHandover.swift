import ArgumentParser
import Concurrency
import DownloadAPI
import Downloader
import Foundation
import HTTP
import HTTPClient
import Synchronization

/// Tasks that another process carries out, because it holds the folder.
struct TaskHandover: Sendable {
    let holder: Holder
    let display: any DownloadDisplay

    /// What came of tasks.
    struct Outcome: Sendable {
        /// The requests that no other process has taken.
        var remaining: [DownloadRequest] = []
        var status: Int32 = 0
        /// When to stop waiting for a process that holds the folder and does not answer.
        var deadline = HostClock.system.steady() + Limits.holderWaitTimeout

        /// The time until then.
        var rest: Duration { deadline - HostClock.system.steady() }
    }

    /// Hands tasks to the process that holds a folder, if there is one, and shows their progress to the end.
    ///
    /// A process that is ending takes no more tasks, and one that is starting takes none yet. It is waited
    /// for until it takes them or releases the folder, at most until the deadline. At the first signal the
    /// other process pauses tasks, and completes live recordings.
    static func carryOut(
        _ previous: Outcome, in folder: String, _ display: any DownloadDisplay
    ) async throws -> Outcome {
        let first = await Holder.connect(folder, within: previous.rest)
        // A process that is ending has already closed its socket.
        if first == nil, await !isInUse(folder) { return previous }
        let outcome = Mutex(previous)
        // A live recording is packed when it is stopped, however long that takes.
        try await TerminationSignals.cancelling(isForced: false) {
            var (found, next) = (previous, first)
            while true {
                if let holder = next {
                    found = try await TaskHandover(holder: holder, display: display).run(found)
                    await holder.close()
                }
                guard !found.remaining.isEmpty, found.rest > .zero, !Task.isCancelled, await isInUse(folder)
                else { break }
                try? await HostClock.system.sleep(for: Limits.holderPause)
                next = await Holder.connect(folder, within: found.rest)
            }
            if Task.isCancelled, !found.remaining.isEmpty { found = Outcome(status: max(found.status, 130)) }
            let ended = found
            outcome.withLock { $0 = ended }
        }
        return outcome.withLock { $0 }
    }

    private static func isInUse(_ folder: String) async -> Bool {
        (try? await DownloadService.isInUse(folder)) ?? false
    }

    /// A task of the process that holds the folder.
    private typealias TakenTask = (id: String, request: DownloadRequest)

    /// Hands over what no process has taken yet.
    private func run(_ previous: Outcome) async throws -> Outcome {
        var (taken, status): ([TakenTask], Int32) = ([], previous.status)
        let refused = try await handOver(previous.remaining, &taken, &status)
        guard refused.isEmpty else {
            // The tasks that it took have ended with it; a complete one is recognised by its state.
            var outcome = Outcome(remaining: taken.map(\.request) + refused, status: status)
            // The deadline restarts only if the other process has carried out tasks.
            if taken.isEmpty { outcome.deadline = previous.deadline }
            return outcome
        }
        var open = Set(taken.map(\.id))
        let startedAt = HostClock.system.steady()
        do {
            try await follow(&open, &status)
        } catch  where Task.isCancelled {
        } catch is TransferError {}
        let left = open
        guard Task.isCancelled else {
            // The process was killed or is ending, or the connection reached its time limit.
            var outcome = Outcome(
                remaining: taken.filter { left.contains($0.id) }.map(\.request), status: status)
            let followed = HostClock.system.steady() - startedAt
            if followed < Limits.shortestFollowing { outcome.deadline = previous.deadline }
            return outcome
        }
        let stopped = try await withCancellationShield(by: .system) { await pause(left) }
        return Outcome(status: max(status, stopped))
    }

    /// Hands requests over, one after the other.
    ///
    /// - Returns: those that are left because the other process is ending
    private func handOver(
        _ requests: [DownloadRequest], _ taken: inout [TakenTask], _ status: inout Int32
    ) async throws -> ArraySlice<DownloadRequest> {
        for (index, request) in requests.enumerated() {
            // The rest is not started, even if all tasks that were handed over are complete.
            guard !Task.isCancelled else {
                status = 130
                break
            }
            do {
                let id = try await handOver(request)
                taken.append((id, request))
            } catch is HolderIsEnding {
                return requests[index...]
            } catch let refusal as Refusal {
                DownloadCommand.printError(refusal.problem)
                status = max(status, refusal.status)
            }
        }
        return []
    }

    /// The process that holds the folder accepts no more tasks.
    private struct HolderIsEnding: Error {}

    private struct Refusal: Error {
        var problem: String
        var status: Int32
    }

    /// Gives the id of the task.
    private func handOver(_ request: DownloadRequest) async throws -> String {
        // A request that has been sent is carried out: its answer names what has to be paused.
        let body: FetchedBody
        do {
            body = try await withCancellationShield(by: .system) {
                try await holder.send(.post, HolderPath.tasks, try JSONEncoder().encode(request))
            }
        } catch TransferError.connectionFailed {
            throw HolderIsEnding()
        }
        if body.status == .serviceUnavailable { throw HolderIsEnding() }
        if let problem = Holder.problem(of: body) {
            throw Refusal(problem: problem, status: body.status == .conflict ? 2 : 1)
        }
        return try JSONDecoder().decode(DownloadTask.self, from: Data(body.bytes)).id
    }

    /// Shows the changes of tasks until all have stopped or are removed, or the connection ends.
    ///
    /// `open` then has those that have not, and `result` the status that the others leave.
    private func follow(_ open: inout Set<String>, _ result: inout Int32) async throws {
        guard !open.isEmpty else { return }
        var (left, unanswered, status) = (open, open, result)
        var asked = HostClock.system.steady()
        defer { (open, result) = (left, status) }
        try await holder.follow(for: Limits.holderFollowTimeout) { change in
            var removed: [String] = []
            switch change {
            case .task(let task) where left.contains(task.id):
                unanswered.remove(task.id)
                display.show(task)
                if task.state.hasStopped || task.error?.isRefusal ?? false {
                    left.remove(task.id)
                    status = max(status, DownloadRun.conclude(task))
                }
            case .removed(let id): removed = [id]
            default: break
            }
            // A task that was removed before it could be followed is never reported.
            if change == nil || HostClock.system.steady() - asked >= Limits.holderAnswerTimeout {
                for id in unanswered {
                    if await !holder.has(id) { removed.append(id) }
                }
                asked = HostClock.system.steady()
            }
            for id in removed where left.remove(id) != nil {
                unanswered.remove(id)
                DownloadCommand.printError("\(DownloadError.noTask(id))")
                status = max(status, 1)
            }
            return left.isEmpty
        }
    }

    /// Has the tasks paused that have not ended, and shows the results.
    ///
    /// It waits until live recordings are packed, or until a second signal. A task that has ended meanwhile
    /// is not an error.
    private func pause(_ ids: Set<String>) async -> Int32 {
        let pausing = await holder.pause(ids) { display.show($0) }
        var status: Int32 = pausing.tasks.count == ids.count ? 0 : 130
        for task in pausing.tasks.values.sorted(by: { $0.id < $1.id }) {
            display.show(task)
            status = max(status, DownloadRun.conclude(task))
        }
        for failure in pausing.failures.values.sorted() { DownloadCommand.printError(failure) }
        return status
    }
}
