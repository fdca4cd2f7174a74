import Catalogue
import HTTP
import Playback
import Timeline

extension WindowHandler {
    /// Redirects a playlist with a fixed start to the time-shifted one whose delay is now minus the start.
    ///
    /// The playlist slides from there on, and its URL needs no state on the server. It is multivariant:
    /// players that load a media playlist again ask for the URL that was redirected, and would get the same
    /// begin each time.
    func redirectToTimeshift(_ asked: RequestedWindow) async throws(PlaybackError) -> HTTPResponse {
        let begin: Instant
        switch asked.parameters.window.span {
        case .closed(let asked, _), .event(let asked, _): begin = asked
        case .sliding, .timeshift: throw .emptyWindow
        }
        try await checkShift(to: begin, asked)
        let ago = (asked.now - begin) / Microseconds.perMillisecond * Microseconds.perMillisecond
        var headers = Fields.common
        headers["Location"] =
            "master.m3u8?timeshift=\(SecondsText.text(ago))" + (asked.request.query.map { "&\($0)" } ?? "")
        headers["Cache-Control"] = "no-store"
        return HTTPResponse(status: .found, headers: headers)
    }

    /// Throws if an instant is in the future or older than the retention.
    func checkShift(to begin: Instant, _ asked: RequestedWindow) async throws(PlaybackError) {
        guard begin <= asked.now else {
            throw .nothingRecorded(
                available: try await playbackService.available(near: asked.parameters.window, asked.channel))
        }
        if let kept = asked.channel.settings.retentionSeconds,
            (asked.now - begin) / Microseconds.perSecond >= kept
        {
            throw .expired(before: asked.now - kept * Microseconds.perSecond)
        }
    }
}
