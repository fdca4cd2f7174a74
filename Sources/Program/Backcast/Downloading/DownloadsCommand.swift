import ArgumentParser
import Concurrency
import Downloader
import Foundation
import JSON

/// Lists and changes the tasks of a folder.
struct DownloadsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "downloads", abstract: "Lists, resumes, cancels and removes downloads",
        discussion: """
            pause, resume and retry are for all tasks unless ids are given; cancel and remove need an id. \
            resume and retry download in the foreground. cancel keeps what is there, remove deletes it. \
            Ends with status 1 when that is not possible, 2 for wrong arguments.
            """)

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case list
        case pause
        case resume
        case cancel
        case retry
        case remove
    }

    @Argument(help: "list, pause, resume, cancel, retry or remove.")
    var action: Action

    @Argument(help: ArgumentHelp("Ids of tasks.", valueName: "id"))
    var ids: [String] = []

    @Option(help: ArgumentHelp("The folder of all tasks.", valueName: "folder"))
    var to = "./downloads"

    @Flag(help: "A line of JSON for each task.")
    var json = false

    func run() async throws {
        ProcessLimits.setSignals()
        try DownloadCommand.checkingArguments { try check() }
        do throws(DownloadError) {
            let tasks = try await DownloadService.tasks(in: to, clock: .system)
            for id in ids where !tasks.contains(where: { $0.id == id }) { throw .noTask(id) }
            let chosen = ids.isEmpty ? tasks : tasks.filter { ids.contains($0.id) }
            if action == .list { return try show(await Self.current(chosen, in: to)) }
        } catch {
            throw DownloadCommand.failure("\(error)", status: 1)
        }
        if let holder = await Holder.connect(to) { return try await act(through: holder) }
        let display: any DownloadDisplay = json ? JSONDisplay() : DownloadRun.displayForPeople(to)
        let run = DownloadRun(folder: to, display: display)
        let held: DownloadRun.HeldFolder
        do throws(DownloadError) {
            held = try await run.open()
        } catch {
            throw DownloadCommand.failure("\(error)", status: 1)
        }
        try await run.carryOut(in: held) { service throws(DownloadError) in try await act(on: service) }
    }

    /// Refuses a folder that does not exist, since its name may be mistyped.
    private func check() throws {
        try DownloadCommand.checkFolder(to, "--to")
        guard !ids.isEmpty || action != .cancel && action != .remove else {
            throw ValidationError("\(action.rawValue) needs an id")
        }
        guard FileManager.default.fileExists(atPath: to) else {
            throw ValidationError("there is no folder \(PrintableText.line(to))")
        }
    }

    /// Has the process that holds the folder carry out the action on all tasks that allow it.
    private func act(through holder: Holder) async throws {
        // The holder knows which tasks were interrupted: they are queued there.
        let known = await Self.current(try await DownloadService.tasks(in: to, clock: .system), in: to)
        let chosen = chosen(of: known)
        let problems = await problems(having: chosen, changedBy: holder)
        for problem in problems { DownloadCommand.printError(problem) }
        if action != .remove {
            let tasks = try await DownloadService.tasks(in: to, clock: .system)
            try show(await Self.current(tasks.filter { chosen.contains($0.id) }, in: to))
        }
        if !problems.isEmpty { throw ExitCode.failure }
    }

    /// Asks the process that holds the folder to change tasks; returns why some could not be changed.
    private func problems(having ids: [String], changedBy holder: Holder) async -> [String] {
        if action == .pause {
            let pausing = await holder.pause(Set(ids))
            return ids.compactMap { pausing.refusals[$0] ?? pausing.failures[$0] }
        }
        var problems: [String] = []
        for id in ids {
            do {
                if let problem = try await holder.act(action.rawValue, on: id).problem {
                    problems.append(problem)
                }
            } catch {
                problems.append("\(id): \(error)")
            }
        }
        return problems
    }

    /// Carries out the action on all tasks that allow it; returns the requests to download afterwards.
    private func act(on service: DownloadService) async throws(DownloadError) -> [DownloadRun.RequestResult] {
        var requested: [DownloadRun.RequestResult] = []
        for id in try await chosen(of: service.tasks()) {
            do throws(DownloadError) {
                switch action {
                case .list: break
                case .pause: try show(try await service.pause([id]))
                case .cancel: try show(try await service.cancel([id]))
                case .remove: try await service.remove([id])
                case .resume: requested.append(.success(try await service.request(of: id, isRetry: false)))
                case .retry: requested.append(.success(try await service.request(of: id, isRetry: true)))
                }
            } catch {
                requested.append(.failure(error))
            }
        }
        return requested
    }

    /// The ids that were given, or else those of all tasks for which the action is meant.
    private func chosen(of tasks: [DownloadTask]) -> [String] {
        guard ids.isEmpty else { return ids }
        let wanted: Set<TaskState> =
            switch action {
            case .resume: [.paused, .queued]
            case .retry: [.failed, .canceled]
            default: [.queued, .preparing, .downloading, .packing, .waitingForNetwork]
            }
        return tasks.filter { wanted.contains($0.state) }.map(\.id)
    }

    /// Tasks as the process that holds the folder knows them: more than it has written.
    private static func current(_ tasks: [DownloadTask], in folder: String) async -> [DownloadTask] {
        guard !tasks.isEmpty, let holder = await Holder.connect(folder) else { return tasks }
        let known = await holder.tasks(Set(tasks.map(\.id)))
        await holder.close()
        return tasks.map { known[$0.id] ?? $0 }
    }

    private func show(_ tasks: [DownloadTask]) throws(DownloadError) {
        let lines = tasks.map { task in
            json ? task.json.bytes : Array(ProgressText.row(of: task).utf8)
        }
        try DownloadCommand.output(lines.flatMap { $0 + [0x0A] })
    }
}
