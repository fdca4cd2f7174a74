import MediaFormat
import Timeline

/// The subtitles of a single file.
extension TaskRunner {
    /// Joins the segments of each rendition of subtitles to one file; those without a cue have none.
    func writeSubtitles() async throws(DownloadError) -> [(rendition: TaskRendition, file: String)] {
        var files: [(rendition: TaskRendition, file: String)] = []
        var known: PackedTimes?
        for plan in plans where plan.id.kind == .subtitles {
            guard let rendition = stored.task.renditions.first(where: { $0.id == plan.id }) else { continue }
            var times = known
            if times == nil { times = try await packedTimes() }
            known = times
            var track = SubtitleTrack()
            for part in plan.parts where part.isDone {
                let bytes = try await folder.read("\(plan.id)/\(part.names.file)", upTo: Limits.subtitleBytes)
                let position = Self.milliseconds(plan.skippedSeconds + part.position)
                track.append(
                    String(decoding: bytes ?? [], as: UTF8.self), anchor: times?.anchor(at: position),
                    origin: times?.origin ?? 0)
            }
            guard !track.isEmpty else { continue }
            let name = Self.subtitleFile(of: plan.id)
            try await folder.write(Array(track.text.utf8), toDraftOf: name, isFirst: true)
            files.append((rendition, TaskFolder.draft(of: name)))
        }
        return files
    }

    /// The file in which a rendition's subtitles are collected while they are packed.
    static func subtitleFile(of id: RenditionID) -> String { "\(id).vtt" }

    /// Where the segments of the leading rendition are in the file.
    private func packedTimes() async throws(DownloadError) -> PackedTimes? {
        guard let plan = plans.first else { return nil }
        var times: PackedTimes?
        for part in plan.parts where part.isDone {
            guard let ticks = try await inspection(of: part, in: plan)?.firstTimestamp?.mpegTicks else {
                continue
            }
            if times == nil {
                let start = Self.milliseconds(plan.skippedSeconds + part.position)
                times = PackedTimes(startDelay: try await startDelay(before: ticks), start: start)
            }
            times?.append(
                mpegTicks: ticks, position: Self.milliseconds(plan.skippedSeconds + part.position),
                duration: Self.milliseconds(part.seconds))
        }
        return times ?? PackedTimes(startDelay: 0, start: Self.milliseconds(plan.skippedSeconds))
    }

    /// How much earlier than a time, 90 kHz, the first track begins, milliseconds.
    private func startDelay(before ticks: Int64) async throws(DownloadError) -> Int64 {
        var longest: Int64 = 0
        for plan in plans where plan.id.kind != .subtitles {
            guard let part = plan.parts.first(where: \.isDone),
                let inspection = try await inspection(of: part, in: plan)
            else { continue }
            for track in inspection.tracks where track.kind == .video || track.kind == .audio {
                if let first = track.firstTimestamp?.mpegTicks {
                    longest = max(longest, PackedTimes.difference(ticks, first) / 90)
                } else if case .packedAudio = inspection.container {
                    // ffmpeg counts packed audio from 0 where no tag says its time.
                    longest = max(longest, ticks / 90)
                }
            }
        }
        return longest
    }

    private static func milliseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1000).rounded()) }
}
