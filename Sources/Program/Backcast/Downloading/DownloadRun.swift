import ArgumentParser
import Concurrency
import Downloader
import Files
import Foundation
import HTTPClient
import JSON
import Logging
import Synchronization

/// One run of the program that downloads into a folder: until all is done or a signal comes.
struct DownloadRun {
    /// The request of a task, or why it cannot be run.
    typealias RequestResult = Result<DownloadRequest, DownloadError>

    var folder: String
    var display: any DownloadDisplay
    var options = DownloadOptions()
    var proxy: String?

    /// A folder that this process holds, and the client that downloads into it.
    struct HeldFolder: Sendable {
        let manager: DownloadManager
        let client: HTTPClient
    }

    /// Takes the folder.
    func open() async throws(DownloadError) -> HeldFolder {
        ProcessMemory.keepFreeMemory()
        let logger = Logger(label: "backcast") { _ in SwiftLogNoOpLogHandler() }
        let client: HTTPClient
        do {
            client = try HTTPClient.open(ClientConfiguration(proxy: proxy, logger: logger))
        } catch {
            throw .unusable("\(error)")
        }
        do throws(DownloadError) {
            let display = display
            let manager = try await DownloadManager.open(
                folder, options, client: client, clock: .system, lifetime: .untilDone
            ) { display.show($0) }
            return HeldFolder(manager: manager, client: client)
        } catch {
            await client.close()
            throw error
        }
    }

    /// Downloads what a body asks for, and ends with the status that the tasks leave.
    ///
    /// Meanwhile other processes hand their tasks over, and have tasks paused or removed. `status` is the
    /// exit status of the tasks that another process ran.
    func carryOut(
        in held: HeldFolder, after status: Int32 = 0,
        _ requests: @escaping @Sendable (DownloadService) async throws(DownloadError) -> [RequestResult]
    ) async throws {
        let outcomes = Mutex([Result<DownloadTask, DownloadError>]())
        let manager = held.manager
        do {
            let server = HolderServer.open(manager, page: nil, in: folder)
            // A live recording is packed when it is stopped, however long that takes.
            try await TerminationSignals.cancelling(isForced: false) {
                let requested = try await requests(manager.service)
                let results = await Self.carryOut(requested, by: manager, beside: server)
                outcomes.withLock { $0 = results }
            }
        } catch {
            await held.client.close()
            throw DownloadCommand.failure("\(error)", status: 1)
        }
        await held.client.close()
        try Self.conclude(outcomes.withLock { $0 }, after: max(status, display.end()))
    }

    /// Runs tasks to their end; the outcomes have the order of the requests.
    private static func carryOut(
        _ requests: [RequestResult], by manager: DownloadManager, beside server: HolderServer?
    ) async -> [Result<DownloadTask, DownloadError>] {
        var taken: [Result<String, DownloadError>] = []
        for request in requests {
            do throws(DownloadError) {
                taken.append(.success(try await manager.addOrResume(try request.get()).id))
            } catch {
                taken.append(.failure(error))
            }
        }
        await withTaskGroup(of: Void.self) { group in
            if let server { group.addTask { await server.run() } }
            await manager.run()
            group.cancelAll()
        }
        var outcomes: [Result<DownloadTask, DownloadError>] = []
        for task in taken {
            switch task {
            case .failure(let error): outcomes.append(.failure(error))
            case .success(let id):
                let refusal = await manager.refusal(of: id)
                let state = manager.task(id).map { Result<DownloadTask, DownloadError>.success($0) }
                let outcome = refusal.map { Result<DownloadTask, DownloadError>.failure($0) } ?? state
                outcomes.append(outcome ?? .failure(.noTask(id)))
            }
        }
        return outcomes
    }

    /// Prints what requests would take.
    func preview(_ requests: [DownloadRequest], asJSON: Bool) async throws {
        let logger = Logger(label: "backcast") { _ in SwiftLogNoOpLogHandler() }
        let client = try HTTPClient.open(ClientConfiguration(proxy: proxy, logger: logger))
        var isRefused = false
        for request in requests {
            do throws(DownloadError) {
                let task = try await DownloadService.preview(request, options, client: client, clock: .system)
                let text = asJSON ? task.json.bytes : Array(ProgressText.preview(of: task).utf8)
                try DownloadCommand.output(text + [0x0A])
            } catch {
                DownloadCommand.printError("\(error)")
                isRefused = true
            }
        }
        await client.close()
        if isRefused { throw ExitCode.failure }
    }

    /// A line for each task on a terminal, elsewhere a line for each step.
    static func displayForPeople(_ folder: String) -> any DownloadDisplay {
        isatty(2) == 1 ? TerminalDisplay(folder: folder) : LineDisplay(folder: folder)
    }

    private static func conclude(
        _ outcomes: [Result<DownloadTask, DownloadError>], after before: Int32
    ) throws {
        var status = before
        for outcome in outcomes {
            switch outcome {
            case .success(let task): status = max(status, conclude(task))
            case .failure(.cancelled): status = max(status, 130)
            case .failure(let error):
                DownloadCommand.printError("\(error)")
                status = max(status, error.isRefusal ? 2 : 1)
            }
        }
        if status != 0 { throw ExitCode(status) }
    }

    /// Prints why a task has stopped, and gives the status that it leaves.
    static func conclude(_ task: DownloadTask) -> Int32 {
        if task.state == .completed { return 0 }
        guard let error = task.error else { return task.state.isEnded ? 1 : 130 }
        DownloadCommand.printError(PrintableText.line("\(task.id): \(error.title): \(error.detail)"))
        return error.isRefusal ? 2 : 1
    }
}
