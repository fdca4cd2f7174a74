package import Concurrency
import HLS
import HTTP
package import HTTPClient
import Timeline

extension DownloadService {
    /// What a request would take, without writing anything: the task with its renditions and segments.
    package static func preview(
        _ request: DownloadRequest, _ options: DownloadOptions, client: HTTPClient, clock: HostClock,
    ) async throws(DownloadError) -> DownloadTask {
        var request = request
        let url = try request.fullURL()
        var task = DownloadTask(
            id: try request.taskID(), url: url.redactedText, title: request.title ?? TaskID.title(for: url),
            labels: request.labels, created: clock.now())
        let tools = DownloadTools(options: options, client: client, clock: clock)
        let session = try tools.session(for: request)
        defer { session.close() }
        let silent = NetworkWatch(lost: {}, returned: {}, received: { _ in })
        let reader = SourceReader(
            session: session,
            retries: Retries(clock: clock, networkTimeout: options.networkTimeout, network: silent))
        switch try await reader.open(&request) {
        case .file:
            task.segmentsTotal = 1
            task.file = TaskRunner.fileName(of: url)
        case .playlist(.media(let playlist), let base, _):
            let id = RenditionID(kind: .video, index: 0)
            task.renditions = [TaskRendition(id: id)]
            let plan = try count(playlist, base, of: id, request, in: &task)
            await detectKind(of: plan, by: reader, in: &task)
        case .playlist(.multivariant(let source), let base, _):
            let chosen = try ChosenStreams.choosing(from: source, base: base, for: request)
            task.renditions = chosen.streams.map(\.rendition)
            for stream in chosen.streams {
                let (playlist, base, _) = try await reader.mediaPlaylist(
                    stream.url, imports: source.variables)
                let plan = try count(playlist, base, of: stream.rendition.id, request, in: &task)
                await detectKind(of: plan, by: reader, in: &task)
            }
        }
        return task
    }

    private static func count(
        _ playlist: MediaPlaylist, _ base: HTTPURL, of id: RenditionID, _ request: DownloadRequest,
        in task: inout DownloadTask,
    ) throws(DownloadError) -> RenditionPlan {
        var (plan, keys) = (RenditionPlan(id: id, url: base), KeyNames())
        _ = try plan.take(playlist, base: base, range: request.range, keys: &keys)
        if !plan.isEnded, task.notes == nil { task.notes = [note(of: request, after: plan.seconds)] }
        if let limit = request.limit { plan.end(at: limit) }
        task.segmentsTotal += plan.parts.count
        task.durationSeconds = max(task.durationSeconds, plan.seconds)
        if plan.isPackedAudio, let index = task.renditions.firstIndex(where: { $0.id == id }) {
            task.renditions[index].content = .audio
        }
        return plan
    }

    /// Inspects whether a rendition has video, if neither its playlists nor its file names show that.
    private static func detectKind(
        of plan: RenditionPlan, by reader: SourceReader, in task: inout DownloadTask
    ) async {
        guard let index = task.renditions.firstIndex(where: { $0.id == plan.id }),
            task.renditions[index].isKindUnknown, let isAudioOnly = await reader.isAudioOnly(plan)
        else { return }
        task.renditions[index].content = isAudioOnly ? .audio : .video
    }

    /// The note about a presentation that has not ended; the counts cover what it lists now.
    private static func note(of request: DownloadRequest, after seconds: Double) -> String {
        guard request.begin == nil else { return "the window has not ended: it is downloaded until it has" }
        guard let limit = request.limit else { return "it has not ended: it is recorded until it has" }
        return limit > seconds
            ? "it has not ended: it is recorded until there are \(Int(limit.rounded(.up))) s of it"
            : "it has not ended, and is not waited for"
    }
}

extension TaskRendition {
    /// Whether its playlists do not tell whether it has video.
    fileprivate var isKindUnknown: Bool { kind == .video && content == nil && codecs == nil && height == nil }
}
