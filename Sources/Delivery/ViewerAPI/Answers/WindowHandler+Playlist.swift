import Catalogue
import HTTP
import Playback
import Timeline

extension WindowHandler {
    func playlist(_ asked: RequestedWindow) async throws(PlaybackError) -> HTTPResponse {
        let window = try await playbackService.compose(
            asked.parameters.window, of: asked.channel, now: asked.now)
        if let redirect = try redirect(asked, window) { return redirect }
        let wanted = try await media(asked, window)
        if asked.parameters.window.isStrict {
            try await playbackService.checkWhole(
                window, wanted, of: asked.channel, for: asked.request.client)
        }
        if case .keyFrames(let id) = asked.route.resource {
            let playlist = try await playbackService.keyFramePlaylist(
                of: id, in: window, isCompressed: asked.coding == .gzip, for: asked.request.client)
            return try await respond(to: asked, with: PlaylistAnswer(playlist: playlist, facts: window.facts))
        }
        guard let wanted else {
            if window.lacksFirstMedia { throw try await nothingRecorded(asked) }
            let query = asked.parameters.window.query(pinnedTo: window.plan)
            return try await respond(
                to: asked,
                with: try await playbackService.multivariantPlaylist(
                    of: window, query: query, for: asked.request.client))
        }
        let playlist = try await playbackService.mediaPlaylist(
            of: wanted, in: window, isCompressed: asked.coding == .gzip, for: asked.request.client)
        guard let playlist else { throw .noSuchRendition(wanted) }
        return try await respond(to: asked, with: PlaylistAnswer(playlist: playlist, facts: window.facts))
    }

    /// The response with a text, which is compressed in a turn if it is long.
    func respond(
        to asked: RequestedWindow, with answer: PlaylistAnswer, type: String = playlistType,
    ) async throws(PlaybackError) -> HTTPResponse {
        let body = try await playbackService.body(
            of: answer.playlist, isCompressed: asked.coding == .gzip, for: asked.request.client)
        return response(asked, answer, body, type: type)
    }

    /// The rendition whose media playlist is requested; nil for the multivariant playlist.
    private func media(_ asked: RequestedWindow, _ window: PlaylistContents) async throws(PlaybackError)
        -> RenditionID?
    {
        switch asked.route.resource {
        case .master: return nil
        case .media(let id), .keyFrames(let id): return try await present(id, asked, window)
        case .index, .single, .since, .transportStream, .endlessStream, .recordingStatus, .movie, .picture,
            .thumbnails:
            if let id = asked.parameters.rendition { return try await present(id, asked, window) }
            guard let id = Self.unnamedRendition(asked, window) else { return nil }
            return try await present(id, asked, window)
        }
    }

    /// The rendition whose media playlist answers a request that names none; nil for a multivariant playlist.
    private static func unnamedRendition(
        _ asked: RequestedWindow, _ window: PlaylistContents,
    ) -> RenditionID? {
        if asked.route.resource == .single, window.plan.kind == .sliding, let lasting = window.lasting {
            return lasting.id
        }
        if asked.route.resource == .single, !window.beginsWithSeparateAudio { return window.firstLeading?.id }
        return indexRendition(asked.channel, window)
    }

    /// The rendition whose media playlist `index.m3u8` is; nil when it is a multivariant playlist.
    ///
    /// A change to the multivariant form applies to new windows: a window that begins before the change keeps
    /// the rendition that it began with. A sliding playlist has no begin, and players reload it continuously:
    /// it changes when it lists no segment from before the change.
    private static func indexRendition(_ channel: Channel, _ window: PlaylistContents) -> RenditionID? {
        if channel.playlistForm == .media { return window.firstLeading?.id }
        guard let changed = channel.mediaUntil, let earliest = window.earliest,
            let first = earliest.segments.first, first.start < changed
        else { return nil }
        return window.plan.kind == .sliding || window.plan.window.begin < changed ? earliest.id : nil
    }

    /// The id of a rendition, if it has segments in the window.
    ///
    /// If it was lost completely, a strict request gets 409.
    func present(
        _ id: RenditionID, _ asked: RequestedWindow, _ window: PlaylistContents,
    ) async throws(PlaybackError) -> RenditionID {
        if window[id] != nil { return id }
        guard window.known.contains(id) else { throw .noSuchRendition(id) }
        if asked.parameters.window.isStrict {
            try await playbackService.checkWhole(
                window, id, of: asked.channel, for: asked.request.client)
        }
        throw try await nothingRecorded(asked)
    }

    private func nothingRecorded(_ asked: RequestedWindow) async throws(PlaybackError) -> PlaybackError {
        .nothingRecorded(
            available: try await playbackService.available(near: asked.parameters.window, asked.channel))
    }

    static let playlistType = "application/vnd.apple.mpegurl"

    /// The response with a text whose body is written, and compressed if the request accepts that.
    func response(
        _ asked: RequestedWindow, _ answer: PlaylistAnswer, _ body: [SharedBytes],
        type: String = playlistType,
    ) -> HTTPResponse {
        let coding = asked.coding
        let tag = EntityTag(strong: answer.playlist.tag + (coding == .gzip ? "-gz" : ""))
        var headers = fields(asked, answer.facts)
        headers.append("Content-Type", type)
        headers.append("Vary", "Accept-Encoding")
        headers.append("ETag", tag.fieldValue)
        let outcome = Preconditions.evaluated(
            method: asked.request.method, headers: asked.request.headers,
            current: Validators(entityTag: tag))
        if outcome == .preconditionFailed {
            return Problem(.preconditionFailed, "the playlist has changed").answer()
        }
        if outcome == .notModified {
            return HTTPResponse(status: .notModified, headers: headers, body: .pieces(body))
        }
        if coding == .gzip { headers.append("Content-Encoding", coding.rawValue) }
        return HTTPResponse(status: .ok, headers: headers, body: .pieces(body))
    }

    /// The header fields that say how complete the window is, and how long caches may keep the answer.
    func fields(_ asked: RequestedWindow, _ facts: WindowFacts) -> HTTPHeaders {
        var headers = Fields.common
        headers.reserve(16)
        headers.append("Backcast-Window", facts.window.exactText)
        if let completeness = facts.completeness {
            headers.append("Backcast-Held-Seconds", SecondsText.text(completeness.held))
            headers.append("Backcast-Missing-Seconds", SecondsText.text(completeness.missing))
        }
        headers.append("Backcast-Final", facts.isFinal ? "true" : "false")
        if let next = facts.next { headers.append("Backcast-Next", next.exactRFC3339) }
        headers.append("Cache-Control", cacheControl(asked, facts))
        headers.append("Cache-Tag", "ch-" + asked.channel.id.text)
        headers.append("X-Content-Type-Options", "nosniff")
        return headers
    }

    /// A final window may be cached until its retention ends, but a repair must become visible in time.
    ///
    /// For any other playlist, browsers ask for the current version each time, and shared caches once per
    /// half target duration.
    func cacheControl(_ asked: RequestedWindow, _ facts: WindowFacts) -> String {
        guard facts.isFinal else {
            return "public, max-age=0, s-maxage=\(max(1, facts.targetSeconds / 2))"
        }
        var age = Limits.finalAgeSeconds
        if let kept = asked.channel.settings.retentionSeconds {
            let since = (asked.now - facts.window.begin) / Microseconds.perSecond
            let (left, overflow) = kept.subtractingReportingOverflow(since)
            if !overflow { age = min(age, left) }
        }
        return "public, max-age=" + String(max(0, age))
    }
}
