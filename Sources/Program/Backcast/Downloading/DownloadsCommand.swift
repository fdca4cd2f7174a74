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
        ProcessLimits.ignoreBrokenPipes()
        try DownloadCommand.orExit { try DownloadCommand.checkFolder(to) }
        guard FileManager.default.fileExists(atPath: to) else { try endWithoutFolder() }
        do throws(DownloadError) {
            let tasks = try await DownloadService.tasks(in: to, clock: .system)
            for id in ids where !tasks.contains(where: { $0.id == id }) {
                throw .folder("there is no task \(id)")
            }
            let chosen = ids.isEmpty ? tasks : tasks.filter { ids.contains($0.id) }
            if action == .list { return show(await Self.current(chosen, in: to)) }
        } catch {
            throw DownloadCommand.failure("\(error)", status: 1)
        }
        guard !ids.isEmpty || action != .cancel && action != .remove else {
            throw DownloadCommand.failure("\(action.rawValue) needs an id", status: 2)
        }
        if let holder = await Holder.reach(to) { return try await act(through: holder) }
        let display: any DownloadDisplay = json ? JSONDisplay() : DownloadRun.displayForPeople(to)
        try await DownloadRun(folder: to, display: display).carryOut { service throws(DownloadError) in
            try await requests(service)
        }
    }

    /// Says that the folder does not exist, since its name may be mistyped.
    ///
    /// Only listing all tasks succeeds.
    private func endWithoutFolder() throws -> Never {
        DownloadCommand.printError("there is no folder \(PrintableText.line(to))")
        throw action == .list && ids.isEmpty ? ExitCode.success : ExitCode.failure
    }

    /// Has the process that holds the folder do what is asked.
    private func act(through holder: Holder) async throws {
        let all = await DownloadsCommand.tasks(in: to)
        let wanted: Set<TaskState> =
            switch action {
            case .resume: [.paused]
            case .retry: [.failed, .canceled]
            default: [.queued, .preparing, .downloading, .packing, .waitingForNetwork]
            }
        let chosen = ids.isEmpty ? all.filter { wanted.contains($0.state) }.map(\.id) : ids
        for id in chosen {
            let answer = try await holder.act(action.rawValue, on: id)
            guard answer.problem == nil else {
                throw DownloadCommand.failure(answer.problem ?? "", status: 1)
            }
        }
        if action != .remove { show(await DownloadsCommand.tasks(in: to).filter { chosen.contains($0.id) }) }
    }

    /// Tasks as the process that holds the folder knows them: more than it has written.
    private static func current(_ tasks: [DownloadTask], in folder: String) async -> [DownloadTask] {
        guard !tasks.isEmpty, let holder = await Holder.reach(folder) else { return tasks }
        let known = await holder.tasks(Set(tasks.map(\.id)))
        return tasks.map { known[$0.id] ?? $0 }
    }

    private static func tasks(in folder: String) async -> [DownloadTask] {
        (try? await DownloadService.tasks(in: folder, clock: .system)) ?? []
    }

    /// Does what is asked; gives what is to be downloaded then.
    private func requests(_ service: DownloadService) async throws(DownloadError) -> [DownloadRequest] {
        let all = try await DownloadService.tasks(in: to, clock: .system)
        let chosen = ids.isEmpty ? all : all.filter { ids.contains($0.id) }
        switch action {
        case .list: break
        case .pause:
            let waiting = chosen.filter { !ids.isEmpty || !$0.state.isEnded }.map(\.id)
            show(try await service.pause(waiting))
        case .cancel: show(try await service.cancel(ids))
        case .remove: try await service.remove(ids)
        case .resume: return try await service.requests(of: chosen.map(\.id), in: [.paused, .queued])
        case .retry: return try await service.requests(of: chosen.map(\.id), in: [.failed, .canceled])
        }
        return []
    }

    private func show(_ tasks: [DownloadTask]) {
        let lines = tasks.map { task in
            json ? task.json.bytes : Array(ProgressText.row(of: task).utf8)
        }
        try? FileHandle.standardOutput.write(contentsOf: Data(lines.flatMap { $0 + [0x0A] }))
    }
}
