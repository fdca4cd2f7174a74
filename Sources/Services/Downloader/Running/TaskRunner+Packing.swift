import Files
import Glibc
import MediaFormat
import Processes
import Timeline

/// The packing of segments into one file.
extension TaskRunner {
    /// Whether the segments can be packed into one file.
    func checkPacking() throws(DownloadError) {
        guard request.format == .ts else {
            if let missing = ProgramFile.missing(toRun: "ffmpeg") {
                throw .unusable(
                    "MP4 is packed by ffmpeg, and \(ProgramFailure.missing(missing)); take a folder")
            }
            let subtitles = plans.filter { $0.id.kind == .subtitles }.flatMap(\.parts)
            guard subtitles.allSatisfy({ $0.names.file.hasSuffix(".vtt") }) else {
                throw .unusable("subtitles that are not WebVTT cannot be packed; take a folder")
            }
            return
        }
        guard plans.count == 1, let plan = plans.first else {
            throw .unusable("one transport stream cannot hold separate audio or subtitles; take a folder")
        }
        let isStream = plan.parts.allSatisfy { $0.names.file.hasSuffix(".ts") && $0.initSection == nil }
        guard isStream else {
            throw .unusable("the segments are no transport stream, which alone can be joined; take a folder")
        }
    }

    /// Packs the segments into one file, which then replaces them.
    func pack() async throws(DownloadError) {
        stored.isOnlyToPack = true
        try await change(.packingStarted)
        let name = "\(stored.task.id).\(request.format.rawValue)"
        do throws(DownloadError) {
            try await write(name)
        } catch {
            // A retry packs from the start, so the unfinished files would only take up space.
            for name in [name] + plans.map({ Self.subtitleFile(of: $0.id) }) {
                try? await folder.dropDraft(of: name)
            }
            throw error
        }
        try await folder.sync([])
        stored.task.file = name
        try await save()
        try await removeParts()
    }

    /// Writes the single file.
    private func write(_ name: String) async throws(DownloadError) {
        switch request.format {
        case .folder: return
        case .ts:
            let files = plans.flatMap { plan in
                plan.parts.filter(\.isDone).map { "\(plan.id)/\($0.names.file)" }
            }
            try await folder.join(files, toDraftOf: name)
        case .mp4: try await remux(to: name)
        }
        try await folder.commit(name)
    }

    /// Has ffmpeg copy the media into an MP4 file.
    private func remux(to name: String) async throws(DownloadError) {
        let changing = try await planWithChangedPIDs()
        let tracks = try await packedTracks()
        let subtitles = try await writeSubtitles()
        let input = Self.input(tracks, subtitles: subtitles.map(\.file), isPiped: changing != nil)
        let output = try await videoTag() + properties(tracks, subtitles: subtitles.map(\.rendition))
        try await runFFmpeg(input + output, reading: changing, toMake: name)
        for track in subtitles { try await folder.remove(track.file) }
    }

    /// What ffmpeg reads, files of the folder or a pipe, and the tracks that it takes.
    private static func input(_ tracks: PackedTracks, subtitles: [String], isPiped: Bool) -> [String] {
        var arguments = ["-nostdin", "-v", "error", "-y"] + tracks.probing
        arguments +=
            isPiped
            ? ["-protocol_whitelist", "pipe", "-f", "mpegts", "-i", "pipe:0"]
            : ["-protocol_whitelist", "file", "-allowed_extensions", "ALL", "-i", "index.m3u8"]
        for file in subtitles {
            arguments += ["-protocol_whitelist", "file", "-f", "webvtt", "-i", "./\(file)"]
        }
        arguments += tracks.mapping
        for index in subtitles.indices { arguments += ["-map", "\(index + 1):s"] }
        return arguments
    }

    /// How ffmpeg writes the tracks, and what the file says of them.
    private func properties(_ tracks: PackedTracks, subtitles: [TaskRendition]) -> [String] {
        // ffmpeg numbers the audio inside of the variant after separate audio.
        let audio = [RenditionKind.audio, .video].flatMap { kind in
            stored.task.renditions.filter { $0.id.kind == kind && !tracks.absent.contains($0.id) }
        }
        return ["-c", "copy", "-c:s", "mov_text", "-metadata", "title=\(stored.task.title)"]
            + Self.languages(of: audio, as: "a") + Self.languages(of: subtitles, as: "s")
    }

    /// Runs ffmpeg, which reads files of the folder, or a rendition from a pipe.
    private func runFFmpeg(
        _ arguments: [String], reading piped: RenditionPlan?, toMake name: String,
    ) async throws(DownloadError) {
        let arguments =
            arguments + ["-movflags", "+faststart", "-f", "mp4", "./\(TaskFolder.draft(of: name))"]
        do {
            if let piped {
                try await runFFmpeg(arguments, reading: piped)
            } else {
                try await ChildProgram.run("ffmpeg", arguments, in: folder.path, bounds: Limits.packing)
            }
        } catch let error as DownloadError {
            throw error
        } catch {
            if Task.isCancelled { throw .cancelled }
            if case .failed(_, _, let message)? = error as? ProgramFailure, Self.meansDiskFull(message) {
                throw .diskFull(path: "\(folder.path)/\(name)")
            }
            throw .unusable("the segments cannot be packed: \(error)")
        }
    }

    /// The name of the video's codec in the file, if it is not the one that ffmpeg gives.
    private func videoTag() async throws(DownloadError) -> [String] {
        for plan in plans where plan.id.kind == .video {
            guard let part = plan.parts.first(where: \.isDone), part.initSection == nil,
                let tracks = try await inspection(of: part, in: plan)?.tracks,
                let video = tracks.first(where: { $0.kind == .video && $0.firstTimestamp != nil })
            else { continue }
            return video.codec == "hevc" ? FFmpegOptions.hevcTag : []
        }
        return []
    }

    /// Whether the message of a program says that the disk or the quota is full; it runs with LC_ALL=C.
    private static func meansDiskFull(_ message: String) -> Bool {
        [ENOSPC, EDQUOT].contains { message.contains(SystemErrorNumber.message(for: $0)) }
    }

    private static func languages(of renditions: [TaskRendition], as type: String) -> [String] {
        renditions.enumerated().flatMap { index, rendition in
            let language = rendition.language.flatMap(LanguageCodes.threeLetters)
            return language.map { ["-metadata:s:\(type):\(index)", "language=\($0)"] } ?? []
        }
    }

    /// Removes what the single file has replaced.
    func removeParts() async throws(DownloadError) {
        for rendition in stored.task.renditions.map(\.id.description) {
            for name in try await folder.lengths(in: rendition).keys {
                try await folder.remove("\(rendition)/\(name)")
            }
            try await folder.remove(PartsFile.name(of: rendition))
            try await folder.removeFolder(rendition)
            try await folder.remove("\(rendition).m3u8")
        }
        if !stored.task.renditions.isEmpty { try await folder.remove("index.m3u8") }
    }
}
