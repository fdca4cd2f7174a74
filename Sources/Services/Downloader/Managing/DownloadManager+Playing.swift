import Concurrency

extension DownloadManager {
    /// What a player gets for a name of a task; nil where there is nothing.
    ///
    /// `needsWholePart`: the player wants a range of a part, so that all of the part has to be there.
    package func content(
        _ name: String, of id: String, needsWholePart: Bool
    ) async throws(DownloadError) -> PlayedContent? {
        guard let task = board.task(id), TaskID.isValid(id), TaskFolder.isServed(name) else { return nil }
        let folder = service.tools.folder("\(service.path)/\(id)")
        guard let runner = running[id]?.runner else { return try await stored(name, of: task, in: folder) }
        if name.hasSuffix(".m3u8") {
            let (isKnown, bytes) = await runner.playlist(name)
            if let bytes { return .playlist(bytes) }
            if task.state == .queued || task.state == .preparing { return .preparing }
            return isKnown ? nil : try await stored(name, of: task, in: folder)
        }
        if let file = await runner.growingFile, file.name == name { return .growingFile(file) }
        if let progress = await runner.demand(name) {
            let reader = PartReader(progress, service.tools.gate)
            return try await growingPart(name, in: folder, reader, needsWholePart: needsWholePart)
        }
        if let file = try await folder.served(name) {
            await runner.played(name)
            return .file(file)
        }
        return try await awaited(name, of: task, in: folder, runner)
    }

    /// A file of a task that does not run.
    private func stored(
        _ name: String, of task: DownloadTask, in folder: TaskFolder
    ) async throws(DownloadError) -> PlayedContent? {
        if let file = try await folder.served(name) { return .file(file) }
        return Self.absent(name, of: task)
    }

    /// The answer for a name that the folder does not have; nil where the task will not have it either.
    private static func absent(_ name: String, of task: DownloadTask) -> PlayedContent? {
        if task.file == nil, task.renditions.isEmpty, !task.state.isEnded {
            // Nothing is known of it: any name may be one of its own.
            return task.state == .paused ? .notRunning : .preparing
        }
        if name == "index.m3u8", task.state == .queued { return .preparing }
        let isPart = name == task.file || task.renditions.contains { name.hasPrefix("\($0.id)/") }
        return isPart && task.state != .completed ? .notRunning : nil
    }

    /// A part that is being fetched, as soon as something of it is there.
    private func growingPart(
        _ name: String, in folder: TaskFolder, _ reader: PartReader, needsWholePart: Bool
    ) async throws(DownloadError) -> PlayedContent? {
        let limit = needsWholePart ? Limits.wholePartWait : Limits.playerWait
        let status = await reader.progress.wait(within: limit) { !needsWholePart && $0.readable > 0 }
        guard let status else { return .sourceUnavailable }
        switch status.end {
        case .whole: return try await folder.served(name).map { .file($0) }
        case .failed: return .sourceUnavailable
        case nil:
            return .growingPart(
                GrowingBody(name, in: folder, reader, from: 0),
                length: status.total.map { UInt64(clamping: $0) })
        }
    }

    /// A key or initialization section, which is fetched before the segments that need it.
    private func awaited(
        _ name: String, of task: DownloadTask, in folder: TaskFolder, _ runner: TaskRunner
    ) async throws(DownloadError) -> PlayedContent? {
        guard await runner.isNeeded(name) else {
            guard let now = board.task(task.id) else { return nil }
            if now.state == .queued || now.state == .preparing { return .preparing }
            return await runner.isPlanned ? nil : Self.absent(name, of: now)
        }
        let clock = service.tools.clock
        let end = clock.steady() + Limits.playerWait
        while clock.steady() < end {
            if let file = try await folder.served(name) { return .file(file) }
            do {
                try await clock.sleep(for: Limits.sectionPause)
            } catch {
                throw .cancelled
            }
        }
        return .sourceUnavailable
    }
}
