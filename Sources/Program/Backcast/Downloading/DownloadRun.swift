import ArgumentParser
import Concurrency
import Downloader
import Foundation
import HTTPClient
import JSON
import Logging
import Synchronization

/// One run of the program that downloads into a folder: until all is done or a signal comes.
struct DownloadRun {
    var folder: String
    var display: any DownloadDisplay
    var options = DownloadOptions()
    var proxy: String?

    /// Downloads what a body asks for, and ends with the status that the tasks leave.
    func carryOut(
        _ requests: @escaping @Sendable (DownloadService) async throws(DownloadError) -> [DownloadRequest]
    ) async throws {
        let logger = Logger(label: "backcast") { _ in SwiftLogNoOpLogHandler() }
        let client = try HTTPClient.open(ClientConfiguration(proxy: proxy, logger: logger))
        let outcomes = Mutex([Result<DownloadTask, DownloadError>]())
        let display = display
        do {
            let service = try DownloadService.open(folder, options, client: client, clock: .system)
            try await TerminationSignals.cancelling {
                let results = await service.run(try await requests(service)) { display.show($0) }
                outcomes.withLock { $0 = results }
            }
        } catch {
            await client.close()
            throw DownloadCommand.failure("\(error)", status: 1)
        }
        await client.close()
        display.end()
        try Self.conclude(outcomes.withLock { $0 })
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
                try? FileHandle.standardOutput.write(contentsOf: Data(text + [0x0A]))
            } catch {
                DownloadCommand.printError("\(error)")
                isRefused = true
            }
        }
        await client.close()
        if isRefused { throw ExitCode.failure }
    }

    /// A line for each task on a terminal, elsewhere a line for each step.
    static func displayForPeople() -> any DownloadDisplay {
        isatty(2) == 1 ? TerminalDisplay() : LineDisplay()
    }

    private static func conclude(_ outcomes: [Result<DownloadTask, DownloadError>]) throws {
        var status: Int32 = 0
        for outcome in outcomes {
            switch outcome {
            case .success(let task) where task.state == .completed: break
            case .success(let task):
                if let error = task.error {
                    DownloadCommand.printError("\(task.id): \(error.title): \(error.detail)")
                }
                let isStopped = task.state == .paused && task.error == nil
                status = max(status, isStopped ? 130 : 1)
            case .failure(.cancelled): status = max(status, 130)
            case .failure(let error):
                DownloadCommand.printError("\(error)")
                status = max(status, error.isRefusal ? 2 : 1)
            }
        }
        if status != 0 { throw ExitCode(status) }
    }
}
