import Catalogue
import HTTP
import Playback
import TimeZones
import Timeline

extension ListHandler {
    func xtream(
        _ request: HTTPRequest, _ route: XtreamRoute, _ query: ListQuery, _ viewer: ViewerAccess,
    ) async throws -> HTTPResponse {
        if case .media(let media) = route { return try await redirect(media, viewer, request.client) }
        if case .past(let pathToRoot) = route {
            return try await redirect(Self.past(query, pathToRoot: pathToRoot), viewer, request.client)
        }
        let user = try query.value("username") ?? ""
        let password = try viewer.token.map { String($0) } ?? query.value("password") ?? ""
        switch route {
        case .player:
            return try await player(request, query, viewer, user: user, password: password)
        case .playlist:
            _ = try query.choice("type", XtreamListType.self)
            let output = try query.choice("output", XtreamOutput.self) ?? .m3u8
            let guide = "/xmltv.php?username=\(PercentEncoding.encoded(user))"
            return try await playlist(
                request, .xc, (PercentEncoding.encoded(user), PercentEncoding.encoded(password)), viewer,
                fileExtension: output.fileExtension,
                guide: "\(guide)&password=\(PercentEncoding.encoded(password))")
        case .guide, .media, .past: return try await guide(viewer)
        }
    }

    /// The channel in the past that a query names.
    private static func past(_ query: ListQuery, pathToRoot: String) throws(ParameterError) -> XtreamMedia {
        guard
            let media = XtreamMedia(
                stream: try query.value("stream") ?? "", minutes: try query.value("duration") ?? "",
                start: try query.value("start") ?? "", password: try query.value("password") ?? "",
                pathToRoot: pathToRoot)
        else { throw ParameterError("stream", "stream must be the number of a channel") }
        return media
    }

    /// Redirects to the channel's own path, relative so that it works below any path of a proxy.
    ///
    /// The target is a playlist, whatever the app asked for, if the channel cannot be one transport stream.
    /// The same is true of live playback for a token with an end: a stream would continue after that end.
    private func redirect(
        _ media: XtreamMedia, _ viewer: ViewerAccess, _ client: String,
    ) async throws -> HTTPResponse {
        guard let channel = try await channel(media.channel, viewer) else {
            // The answer must not tell whether a channel exists that the token does not permit.
            if let grant = viewer.grant, !grant.channels.isEmpty { return Fields.forbidden }
            throw Problem(.notFound, "there is no channel \(media.channel)")
        }
        var name = try file(media.form, asStream: false, channel)
        if await isRefused(Self.request(name, of: channel, client), viewer) { return Fields.forbidden }
        if media.isStream, !(media.form == .live && viewer.grant?.end != nil) {
            let stream = try file(media.form, asStream: true, channel)
            if await isStream(stream, of: channel, client) { name = stream }
        }
        var headers = Fields.common
        headers["Location"] =
            media.pathToRoot
            + (viewer.isPrefixed || viewer.token == nil ? "" : "\(viewer.prefix.dropFirst())/")
            + "live/\(channel.id.text)/\(name)"
        headers["Cache-Control"] = "no-store"
        return HTTPResponse(status: .found, headers: headers)
    }

    /// Whether the viewer's token is for another time, so that the target would be refused, too.
    private func isRefused(_ target: HTTPRequest, _ viewer: ViewerAccess) async -> Bool {
        guard let grant = viewer.grant, grant.isLimitedInTime else { return false }
        return await scope.answer(target, within: grant)?.status == .forbidden
    }

    private static func request(_ file: String, of channel: Channel, _ client: String) -> HTTPRequest {
        var request = HTTPRequest(method: .head, path: "", client: client)
        let parts = "/live/\(channel.id.text)/\(file)".split(separator: "?", maxSplits: 1).map(String.init)
        (request.path, request.query) = (parts[0], parts.count > 1 ? parts[1] : nil)
        return request
    }

    /// Whether a file of a channel, with its query, exists: neither it nor its canonical URL is answered 404.
    private func isStream(
        _ file: String, of channel: Channel, _ client: String, isRedirected: Bool = false,
    ) async -> Bool {
        let request = Self.request(file, of: channel, client)
        guard case .window(let route)? = ViewerRoute(path: request.path) else { return false }
        let answer = await windows.answer(request, AnswerCache.Key(request), route: route)
        if answer.status == .found, !isRedirected, let next = answer.headers["Location"] {
            return await isStream(next, of: channel, client, isRedirected: true)
        }
        return answer.status != .notFound
    }

    private func file(
        _ form: XtreamMedia.Form, asStream isStream: Bool, _ channel: Channel,
    ) throws(ParameterError) -> String {
        guard case .past(let minutes, let start) = form else {
            return isStream ? "timeshift_rel-0.ts" : "index.m3u8"
        }
        let zone = NamedZone.reading(channel.settings.timeZone)
        guard let begin = XtreamTime.reading(start, zone: zone) else {
            throw ParameterError(
                "start", "start is not a valid time: use yyyy-MM-dd:HH-mm, or \(InstantReading.formats)")
        }
        guard minutes.utf8.allSatisfy({ (0x30...0x39).contains($0) }), minutes.utf8.count <= 6,
            let length = Int64(minutes)
        else { throw ParameterError("duration", "the duration must be a number of minutes") }
        // Apps divide the seconds of a programme by 60: one of less than a minute has 0. Others write the
        // number of the programme there, which is longer than any window.
        let longest = max(1, maxWindowSeconds / 60)
        let end = begin + min(max(1, length), longest) * 60 * Microseconds.perSecond
        let window = WindowRequest(.closed(begin: begin, end: end)).query(begin: begin, end: end)
        return "\(isStream ? "download.ts" : "index.m3u8")?\(window)"
    }

    /// The channel with this number or, if there is none, with this id; a deleted channel is found by its id
    /// only.
    ///
    /// While the catalogue is unavailable, the last known numbers are used, so that channels still play from
    /// memory.
    private func channel(_ text: String, _ viewer: ViewerAccess) async throws -> Channel? {
        let all = try await channels.lastKnown().filter(viewer.permits)
        let numbered = Int32(text).flatMap { number in all.first { $0.channel.row == number } }
        if let found = numbered ?? all.first(where: { $0.id == text }) { return found.channel }
        guard let id = ChannelID(text), viewer.grant?.permits(id) ?? true else { return nil }
        return try await index.channel(id)
    }
}

/// Whether a list has attributes; ours always has.
private enum XtreamListType: String, CaseIterable {
    case m3u
    case plus = "m3u_plus"
}

private enum XtreamOutput: String, CaseIterable {
    case m3u8
    case hls
    case ts
    case mpegts

    var fileExtension: String {
        switch self {
        case .m3u8, .hls: "m3u8"
        case .ts, .mpegts: "ts"
        }
    }
}
