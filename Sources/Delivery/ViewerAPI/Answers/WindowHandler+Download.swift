import Catalogue
import Export
import HTTP
import Playback
import Timeline

extension WindowHandler {
    /// The window as one transport stream.
    func download(_ asked: RequestedWindow) async throws -> HTTPResponse {
        let (begin, end) = try closed(asked.parameters)
        let window = try await playbackService.compose(
            asked.parameters.window, of: asked.channel, now: asked.now)
        if let redirect = try redirect(asked, window) { return redirect }
        guard hasFixedEnd(end, window) else { return redirectToCurrentEnd(asked, window) }
        let rendition = try await rendition(asked, window)
        let plan = try TransportStreamPlan(
            channel: asked.channel.id, rendition: rendition.id, runs: try rendition.segments.runs(),
            formats: window.formats,
            separateAudio: try await hasSeparateAudio(asked, window, rendition))
        if asked.parameters.window.isStrict { try window.checkWhole(rendition.id) }
        var headers = fields(asked, window.facts)
        headers["Content-Type"] = "video/mp2t"
        headers["Content-Security-Policy"] = "sandbox"
        headers["Accept-Ranges"] = "bytes"
        headers["Content-Disposition"] = asked.name(begin, "ts")
        return response(asked, tag: plan.tag, byteCount: plan.byteCount, headers) { offset, byteCount in
            export.body(of: plan, offset: offset, byteCount: byteCount)
        }
    }

    /// Whether the channel's audio is a rendition of its own, also where the window has lost it.
    ///
    /// A file of the video alone would be silent. If it is asked for by name, that is meant.
    private func hasSeparateAudio(
        _ asked: RequestedWindow, _ window: PlaylistContents, _ rendition: ListedRendition,
    ) async throws(PlaybackError) -> Bool {
        guard asked.parameters.rendition == nil else { return false }
        guard window.mayLackAudio(beside: rendition) else {
            return window.renditions.contains { $0.id.kind == .audio }
        }
        do {
            try await playbackService.checkWholeAudio(
                of: window, of: asked.channel, for: asked.request.client)
            return false
        } catch .incomplete where !asked.parameters.window.isStrict {
            return true
        }
    }

    /// The requested rendition, or the leading one.
    func rendition(_ asked: RequestedWindow, _ window: PlaylistContents) async throws(PlaybackError)
        -> ListedRendition
    {
        var rendition = window.leading
        if let id = asked.parameters.rendition { rendition = window[try await present(id, asked, window)] }
        guard let rendition else { throw .nothingRecorded(available: []) }
        return rendition
    }

    /// The begin of a window that does not grow, and its end; nil when the end is open.
    func closed(
        _ parameters: ViewerParameters,
    ) throws(ParameterError) -> (begin: Instant, end: Instant?) {
        switch parameters.window.span {
        case .closed(let begin, let end): return (begin, end)
        case .event:
            let name = parameters.growthName
            throw ParameterError(name, "\(name) is for a playlist that grows: a download has a fixed length")
        case .sliding, .timeshift: throw ParameterError("begintime", "a download needs begintime")
        }
    }

    /// Whether the end of a window stays the same while recording goes on.
    ///
    /// A canonical URL ends with its last segment, which may end after the live edge, and stays as it is.
    func hasFixedEnd(_ end: Instant?, _ window: PlaylistContents) -> Bool {
        end != nil && (window.plan.isFixed || longestCanonical != nil)
    }

    /// Redirects a window whose end is open, or not recorded yet, to the URL with the current end, so that a
    /// resumed download is the same file.
    ///
    /// That URL cannot name what follows its end, so `Backcast-Next` is in this answer.
    func redirectToCurrentEnd(_ asked: RequestedWindow, _ window: PlaylistContents) -> HTTPResponse {
        let query = (asked.parameters.window.query(pinnedTo: window.plan) ?? "") + asked.parameters.choices
        var headers = Fields.common
        headers["Location"] = "\(asked.route.resource.file)?\(query)"
        headers["Backcast-Next"] = window.next?.exactRFC3339
        headers["Cache-Control"] = "no-store"
        return HTTPResponse(status: .found, headers: headers)
    }

    /// The answer with a file of known length, or a range of it.
    func response(
        _ asked: RequestedWindow, tag: String, byteCount: UInt64, _ fields: HTTPHeaders,
        body: (_ offset: UInt64, _ byteCount: UInt64) -> any HTTPBodySource,
    ) -> HTTPResponse {
        let validators = Validators(entityTag: EntityTag(strong: tag))
        var headers = fields
        headers["ETag"] = validators.entityTag?.fieldValue
        let request = asked.request
        switch Preconditions.evaluated(method: request.method, headers: request.headers, current: validators)
        {
        case .notModified:
            return HTTPResponse(
                status: .notModified, headers: headers,
                body: .stream(length: byteCount, body(0, byteCount)))
        case .preconditionFailed: return Problem(.preconditionFailed, "the window has changed").answer()
        case .proceed: break
        }
        let range = ByteRange.requested(
            method: request.method, headers: request.headers, current: validators, length: byteCount)
        return RangeAnswer.response(range, length: byteCount, headers: headers) { offset, length in
            .stream(length: length, body(offset, length))
        }
    }
}
