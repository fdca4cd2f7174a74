import Catalogue
import HTTP
import Playback
import Timeline

/// One URL for all requests of the same segments, so that shared caches keep one answer.
extension WindowHandler {
    /// The redirect of a closed window to its canonical URL; nil if the request has that URL, or if canonical
    /// URLs are off.
    ///
    /// The window of that URL begins with the first segment of the answer and ends with the last one, both
    /// rounded inward to whole milliseconds. There is no redirect if it would be longer than the longest
    /// window.
    ///
    /// Throws `incomplete` if a strict window lacks media, because the window of the URL may be complete.
    func redirect(
        _ asked: RequestedWindow, _ window: PlaylistContents,
    ) throws(PlaybackError) -> HTTPResponse? {
        guard longestCanonical != nil else { return nil }
        let scope = asked.scope(hasSeparateAudio: window.hasSeparateAudio)
        guard let answer = window.listedSpan(scope).flatMap({ redirect(asked, $0) }) else { return nil }
        if asked.parameters.window.isStrict {
            switch (asked.route.resource, scope) {
            case (.media(let id), _), (.keyFrames(let id), _), (_, .one(let id)): try window.checkWhole(id)
            case (_, .leading): try window.checkWhole(window.leading?.id)
            case (_, .all): try window.checkWhole(nil)
            }
        }
        return answer
    }

    /// The same redirect for a window in memory; `known` is false if something has to be read or composed.
    func redirectFromMemory(_ asked: RequestedWindow) -> (known: Bool, redirect: HTTPResponse?) {
        guard longestCanonical != nil else { return (true, nil) }
        let span = playbackService.listedSpanFromMemory(
            asked.parameters.window, of: asked.channel, now: asked.now
        ) { asked.scope(hasSeparateAudio: $0) }
        return (span != nil, span.flatMap { redirect(asked, $0) })
    }

    private func redirect(_ asked: RequestedWindow, _ span: ListedSpan) -> HTTPResponse? {
        guard let longest = longestCanonical, case .closed = asked.parameters.window.span else { return nil }
        let begin = span.window.begin.nextMillisecond
        let end = span.window.end.lastMillisecond
        guard begin < end, end - begin <= longest else { return nil }
        let query = asked.parameters.window.query(begin: begin, end: end) + options(asked, span)
        guard asked.route.dialect != nil || query != asked.request.query else { return nil }
        var headers = Fields.common
        headers["Location"] = "\(asked.route.resource.file)?\(query)"
        headers["Backcast-Next"] = span.facts.next?.exactRFC3339
        headers["Cache-Control"] = cacheControl(asked, span.facts)
        headers["Cache-Tag"] = "ch-\(asked.channel.id)"
        return HTTPResponse(status: .found, headers: headers)
    }

    /// The parameters beside the window that change the answer.
    private func options(_ asked: RequestedWindow, _ span: ListedSpan) -> String {
        var rendition = asked.route.resource.takesRendition ? asked.parameters.rendition : nil
        if asked.route.resource == .single, span.scope == .leading { rendition = rendition ?? span.leading }
        var items = rendition.map { "&rendition=\($0)" } ?? ""
        if asked.route.resource == .movie, let audio = asked.parameters.audio { items += "&audio=\(audio)" }
        guard case .thumbnails = asked.route.resource, let track = try? PictureParameters(asked) else {
            return items
        }
        if let step = try? track.step(), step != PictureParameters.defaultStep(of: span.window) {
            items += "&step=\(SecondsText.text(step))"
        }
        if let width = try? track.width(), width != Limits.thumbnailWidth { items += "&width=\(width)" }
        return items
    }
}

extension WindowRoute.Resource {
    /// Whether the parameter `rendition` changes the answer.
    fileprivate var takesRendition: Bool {
        switch self {
        case .master, .media, .keyFrames: false
        default: true
        }
    }
}

extension RequestedWindow {
    /// The renditions whose segments are the edges; downloads and pictures take the leading one unless one is
    /// named.
    ///
    /// All playlists of a multivariant one have its window, so that they count the same discontinuities.
    fileprivate func scope(hasSeparateAudio: Bool) -> ListedSpan.Scope {
        switch route.resource {
        case .master, .media, .keyFrames: .all
        case .index: parameters.rendition.map { .one($0) } ?? .all
        case .single: parameters.rendition.map { .one($0) } ?? (hasSeparateAudio ? .all : .leading)
        case .since, .transportStream, .endlessStream, .recordingStatus, .movie, .picture, .thumbnails:
            parameters.rendition.map { .one($0) } ?? .leading
        }
    }
}

extension Instant {
    /// The first whole millisecond that is not before this instant.
    var nextMillisecond: Instant {
        let rest = microseconds % Microseconds.perMillisecond
        return rest == 0 ? self : self + (Microseconds.perMillisecond - rest)
    }

    /// The last whole millisecond that is not after this instant.
    var lastMillisecond: Instant { self - microseconds % Microseconds.perMillisecond }
}
