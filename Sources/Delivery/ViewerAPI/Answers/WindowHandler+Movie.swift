import Catalogue
import Export
import HTTP
import Playback
import Timeline

/// The window as one MP4 file.
extension WindowHandler {
    /// What a file holds: a window that may end earlier than the one that was asked for, and a rendition.
    private typealias Part = (window: PlaylistContents, rendition: ListedRendition)

    func movie(_ asked: RequestedWindow) async throws -> HTTPResponse {
        let (begin, end) = try closed(asked.parameters)
        var request = asked.parameters.window
        request.coversVideo = asked.parameters.rendition?.kind != .audio
        let composed = try await playbackService.compose(request, of: asked.channel, now: asked.now)
        if let redirect = try redirect(asked, composed) { return redirect }
        guard hasFixedEnd(end, composed) else { return redirectToCurrentEnd(asked, composed) }
        let rendition = try await rendition(asked, composed)
        let name = asked.name(begin, "mp4")
        let part = composed.cutForFile(of: rendition, longest: longest(composed, rendition))
        if let audio = try await audio(asked, composed, beside: part) {
            return try await separateAudioMovie(asked, name, part, audio.id)
        }
        return try await singleRenditionMovie(asked, name, part)
    }

    /// One rendition, with the audio that is in it.
    private func singleRenditionMovie(_ asked: RequestedWindow, _ name: String, _ part: Part) async throws
        -> HTTPResponse
    {
        if asked.parameters.window.isStrict, !part.window.hasAudio(in: part.rendition) {
            try await playbackService.checkWholeAudio(
                of: part.window, of: asked.channel, for: asked.request.client)
        }
        if part.window.container(of: part.rendition) == .fragmentedMP4 {
            return try await fragmented(asked, name, part)
        }
        let plan = try RemuxPlan(channel: asked.channel.id, try segments(part))
        return try await remuxed(asked, plan, try movieFields(asked, name, part))
    }

    /// The longest media that a file can have, microseconds; for fMP4 the file itself says it.
    private func longest(_ window: PlaylistContents, _ rendition: ListedRendition) -> Int64 {
        window.container(of: rendition) == .fragmentedMP4 ? .max : Export.Limits.packedMicroseconds
    }

    private func segments(_ part: Part) throws -> RemuxPlan.Segments {
        (part.rendition.id, try part.rendition.segments.runs(), part.window.formats)
    }

    /// The audio of the part that is not in the video's segments; nil if it is, or if there is none.
    private func audio(
        _ asked: RequestedWindow, _ window: PlaylistContents, beside part: Part,
    ) async throws(PlaybackError) -> ListedRendition? {
        guard part.rendition.id.kind == .video else { return nil }
        // Audio that begins after this part belongs to the file with the rest.
        if let id = asked.parameters.audio { return part.window[try await present(id, asked, window)] }
        return part.window.hasAudio(in: part.rendition) ? nil : part.window.audio(of: part.rendition)
    }

    /// Segments of fMP4, which are a file once their times are moved.
    private func fragmented(
        _ asked: RequestedWindow, _ name: String, _ part: Part,
    ) async throws -> HTTPResponse {
        var part = part
        var file = try await self.file(asked, part)
        if let longest = file.longest {
            part = part.window.cutForFile(of: part.rendition, longest: longest)
            file = try await self.file(asked, part)
        }
        var headers = try movieFields(asked, name, part)
        headers["Accept-Ranges"] = "bytes"
        let planned = file
        return response(asked, tag: file.tag, byteCount: file.byteCount, headers) { offset, byteCount in
            export.body(of: planned, offset: offset, byteCount: byteCount)
        }
    }

    private func file(_ asked: RequestedWindow, _ part: Part) async throws -> FragmentedFile {
        let plan = try FragmentedPlan(
            channel: asked.channel.id, rendition: part.rendition.id,
            runs: try part.rendition.segments.runs(), formats: part.window.formats)
        return try await export.file(of: plan)
    }

    /// Video and audio in two renditions; the file ends where one of them changes, or before audio that
    /// begins long after the video.
    private func separateAudioMovie(
        _ asked: RequestedWindow, _ name: String, _ part: Part, _ audio: RenditionID,
    ) async throws -> HTTPResponse {
        var part = part
        part.window = part.window.beginningInOneFormat(audio)
        for _ in 0..<3 {
            guard let listed = part.window[audio] else {
                return try await singleRenditionMovie(asked, name, part)
            }
            let cut = part.window.cutForFile(of: listed).window
            part = (cut, cut[part.rendition.id] ?? part.rendition)
            // ffmpeg sends nothing before it has both.
            if let silent = cut.cutBefore(
                cut[audio] ?? listed, of: part.rendition, delay: Export.Limits.audioDelay)
            {
                if asked.parameters.window.isStrict { try cut.checkWhole(audio) }
                return try await singleRenditionMovie(asked, name, silent)
            }
            let (plan, longest) = try await self.plan(asked, part, (cut, cut[audio] ?? listed))
            guard let longest else {
                if asked.parameters.window.isStrict { try part.window.checkWhole(audio) }
                return try await remuxed(asked, plan, try movieFields(asked, name, part))
            }
            part = part.window.cutForFile(of: part.rendition, longest: longest)
        }
        throw ExportError.separateAudio
    }

    /// The file of a video and its audio, and how much of it the width of times allows, microseconds; nil
    /// for all of it.
    private func plan(
        _ asked: RequestedWindow, _ video: Part, _ audio: Part,
    ) async throws -> (plan: RemuxPlan, longest: Int64?) {
        let (video, audio) = (try await trackSource(asked, video), try await trackSource(asked, audio))
        let plan = try RemuxPlan(video: video, audio: audio)
        return (plan, plan.longest)
    }

    private func trackSource(_ asked: RequestedWindow, _ part: Part) async throws -> RemuxPlan.TrackSource {
        guard part.window.container(of: part.rendition) == .fragmentedMP4 else {
            return .stream(try RemuxPlan.Input(asked.channel.id, try segments(part)))
        }
        return .fragmented(try await file(asked, part))
    }

    /// A file that ffmpeg makes while it is sent to this viewer: it cannot be resumed.
    private func remuxed(
        _ asked: RequestedWindow, _ plan: RemuxPlan, _ fields: HTTPHeaders,
    ) async throws -> HTTPResponse {
        var headers = fields
        headers["Accept-Ranges"] = "none"
        headers["Cache-Control"] = "no-store"
        let isRead = asked.request.method != .head
        let body = try export.body(of: plan, isRead: isRead)
        if isRead { try await body.prepare() }
        return HTTPResponse(status: .ok, headers: headers, body: .stream(length: nil, body))
    }

    private func movieFields(
        _ asked: RequestedWindow, _ name: String, _ part: Part,
    ) throws(PlaybackError) -> HTTPHeaders {
        if asked.parameters.window.isStrict { try part.window.checkWhole(part.rendition.id) }
        var headers = fields(asked, part.window.facts)
        headers["Content-Type"] = part.rendition.id.kind == .audio ? "audio/mp4" : "video/mp4"
        headers["Content-Disposition"] = name
        headers["Content-Security-Policy"] = "sandbox"
        return headers
    }
}

extension PlaylistContents {
    /// The container of the first segment of a rendition.
    fileprivate func container(of rendition: ListedRendition) -> SegmentExtension? {
        rendition.segments.first.flatMap { formats[$0.formatID]?.container }
    }

    /// Whether the first segment of a rendition is known to have audio.
    fileprivate func hasAudio(in rendition: ListedRendition) -> Bool {
        rendition.segments.first.flatMap { formats[$0.formatID]?.hasAudio } ?? false
    }
}
