import Catalogue
import HTTP
import Playback
import Timeline

extension WindowHandler {
    /// The answer if everything for it is in memory; nil if something has to be read or composed, or if the
    /// request is wrong.
    ///
    /// It returns without waiting. The answer is the same as that of `answer`.
    func answerFromMemory(
        _ request: HTTPRequest, _ key: AnswerCache.Key, route: WindowRoute,
    ) -> HTTPResponse? {
        guard let channel = index.knownChannel(route.channel), !channel.isDeleted,
            let form = channel.playlistForm,
            let parameters = try? ViewerParameters(
                query: request.query, dialect: route.dialect, zone: Self.zone(of: channel))
        else { return nil }
        let before = origin(of: route.channel)
        let playlist = Self.playlist(route, parameters, channel, form)
        guard playlist != nil || route.resource.redirectsFirst else { return nil }
        let asked = RequestedWindow(
            request: request, route: route, channel: channel, parameters: parameters, now: clock(),
            coding: key.coding)
        let (isKnown, redirect) = redirectFromMemory(asked)
        if let redirect { return redirect }
        guard isKnown, let playlist else { return nil }
        let answer = playbackService.playlistFromMemory(
            parameters.window, of: channel, playlist, isCompressed: asked.coding == .gzip, now: asked.now
        ) { parameters.window.query(pinnedTo: $0) }
        guard let answer,
            let body = asked.coding == .gzip ? try? answer.playlist.gzip() : answer.playlist.body
        else { return nil }
        let response = response(asked, answer, body)
        keep(response, for: key, before, of: route.channel)
        return response
    }

    /// Whether a request is for a live playlist of usual length: composing it takes little time.
    func isShort(_ request: HTTPRequest, _ route: WindowRoute) -> Bool {
        switch route.resource {
        case .index, .master, .media, .single: break
        default: return false
        }
        guard route.dialect == nil else { return false }
        guard let query = request.query else { return true }
        guard let parameters = try? ViewerParameters(query: query, dialect: nil, zone: { _, _ in nil }) else {
            return false
        }
        switch parameters.window.span {
        case .sliding(let length, _): return length ?? 0 <= Limits.shortLength
        case .closed, .event, .timeshift: return false
        }
    }

    /// The playlist that a request names; nil if that depends on what the window holds.
    private static func playlist(
        _ route: WindowRoute, _ parameters: ViewerParameters, _ channel: Channel, _ form: PlaylistForm,
    ) -> RequestedPlaylist? {
        switch route.resource {
        case .media(let id): return .media(id)
        case .master: return .multivariant
        case .index:
            if parameters.rendition != nil || form == .media { return .media(parameters.rendition) }
            return channel.mediaUntil == nil ? .multivariant : nil
        case .single: return form == .media ? .media(parameters.rendition) : nil
        case .since, .keyFrames, .transportStream, .endlessStream, .recordingStatus, .movie, .picture,
            .thumbnails:
            return nil
        }
    }
}

extension WindowRoute.Resource {
    /// Whether a closed window is redirected to its canonical URL first, although its answer is not made from
    /// memory.
    fileprivate var redirectsFirst: Bool {
        switch self {
        case .transportStream, .movie, .keyFrames: true
        default: false
        }
    }
}
