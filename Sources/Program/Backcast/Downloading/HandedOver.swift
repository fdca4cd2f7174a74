import ArgumentParser
import Concurrency
import DownloadAPI
import Downloader
import Foundation
import HTTP
import HTTPClient
import Synchronization

/// Tasks that another process carries out, because it holds the folder.
struct HandedOver: Sendable {
    let holder: Holder
    let display: any DownloadDisplay

    /// Hands tasks over and shows their progress to the end; ends with the status that they leave.
    ///
    /// The first signal has the other process pause them, and complete those that record something live.
    func carryOut(_ requests: [DownloadRequest]) async throws {
        let status = Mutex<Int32>(0)
        try await TerminationSignals.cancelling {
            let found = try await run(requests)
            status.withLock { $0 = found }
        }
        display.end()
        await holder.close()
        let found = status.withLock { $0 }
        if found != 0 { throw ExitCode(found) }
    }

    private func run(_ requests: [DownloadRequest]) async throws -> Int32 {
        var (open, status): (Set<String>, Int32) = ([], 0)
        for request in requests {
            // The rest is not begun, also where all that was handed over is complete.
            guard !Task.isCancelled else {
                status = 130
                break
            }
            do {
                open.insert(try await handOver(request))
            } catch let refusal as Refusal {
                DownloadCommand.printError(refusal.problem)
                status = max(status, refusal.status)
            }
        }
        do {
            status = max(status, try await follow(&open))
        } catch  where Task.isCancelled {}
        guard Task.isCancelled else { return open.isEmpty ? status : max(status, 1) }
        let left = open
        let stopped = try await withCancellationShield(within: Limits.holderStop, by: .system) {
            await pause(left)
        }
        return max(status, stopped)
    }

    private struct Refusal: Error {
        var problem: String
        var status: Int32
    }

    /// Gives the id of the task.
    private func handOver(_ request: DownloadRequest) async throws -> String {
        // A request that has been sent is carried out: its answer names what has to be paused.
        let body = try await withCancellationShield(by: .system) {
            try await holder.send(.post, HolderPath.tasks, try JSONEncoder().encode(request))
        }
        if let problem = Holder.problem(of: body) {
            throw Refusal(problem: problem, status: body.status == .conflict ? 2 : 1)
        }
        return try JSONDecoder().decode(DownloadTask.self, from: Data(body.bytes)).id
    }

    /// Shows the changes of tasks until all have stopped; the status that they leave.
    private func follow(_ open: inout Set<String>) async throws -> Int32 {
        guard !open.isEmpty else { return 0 }
        var (left, status): (Set<String>, Int32) = (open, 0)
        defer { open = left }
        try await holder.follow(for: Limits.holderFollowed) { task in
            guard left.contains(task.id) else { return false }
            display.show(task)
            let isRefused = task.error?.isRefusal ?? false
            guard task.state.isEnded || task.state == .paused || isRefused else { return false }
            left.remove(task.id)
            status = max(status, DownloadRun.conclude(task))
            return left.isEmpty
        }
        return status
    }

    /// Has tasks paused that have not ended, and shows what became of them.
    private func pause(_ ids: Set<String>) async -> Int32 {
        guard !ids.isEmpty else { return 0 }
        for id in ids.sorted() {
            do {
                // One that has ended meanwhile is no fault.
                _ = try await holder.act("pause", on: id)
            } catch {
                DownloadCommand.printError("\(id) cannot be paused: \(error)")
            }
        }
        let found = await holder.tasks(ids)
        var status: Int32 = found.count == ids.count ? 0 : 130
        for task in found.values.sorted(by: { $0.id < $1.id }) {
            display.show(task)
            status = max(status, DownloadRun.conclude(task))
        }
        return status
    }
}
