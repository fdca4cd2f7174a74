import Catalogue
import HTTP
import Playback
import Timeline

/// One URL for all requests of the same segments, so that shared caches keep one answer.
extension WindowAnswers {
    /// The redirect of a closed window to its canonical URL; nil if the request has that URL, or if canonical
    /// URLs are off.
    ///
    /// The window of that URL begins with the first segment of the leading rendition and ends with the last
    /// one, in whole milliseconds inside of them. If it would be longer than windows may be, there is none.
    func redirect(_ asked: AskedWindow, _ window: PlaylistContents) -> HTTPResponse? {
        guard let longest = longestCanonical, case .closed = asked.parameters.window.span,
            let leading = window.leading, let first = leading.segments.first,
            let last = leading.segments.last
        else { return nil }
        let begin = first.start.nextMillisecond
        let end = last.end.lastMillisecond
        guard begin < end, end - begin <= longest else { return nil }
        var query = asked.parameters.window.query(begin: begin, end: end)
        var rendition = asked.parameters.rendition
        let isWhole = !window.renditions.contains { $0.id.kind == .audio }
        if asked.route.resource == .single, isWhole { rendition = rendition ?? leading.id }
        if let rendition { query += "&rendition=\(rendition)" }
        if asked.route.resource == .movie, let audio = asked.parameters.audio { query += "&audio=\(audio)" }
        guard asked.route.dialect != nil || query != asked.request.query else { return nil }
        var headers = Fields.common
        headers["Location"] = "\(asked.route.resource.file)?\(query)"
        headers["Backcast-Next"] = window.next?.exactRFC3339
        headers["Cache-Control"] = cacheControl(asked, window.facts(of: leading))
        headers["Cache-Tag"] = "ch-\(asked.channel.id)"
        return HTTPResponse(status: .found, headers: headers)
    }
}

extension Instant {
    /// The first whole millisecond that is not before this instant.
    fileprivate var nextMillisecond: Instant {
        let rest = microseconds % Microseconds.perMillisecond
        return rest == 0 ? self : self + (Microseconds.perMillisecond - rest)
    }

    /// The last whole millisecond that is not behind this instant.
    fileprivate var lastMillisecond: Instant { self - microseconds % Microseconds.perMillisecond }
}
