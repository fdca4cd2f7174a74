import Catalogue
import HTTP
import Playback
import Timeline

/// Judges requests with a token that permits a part of the recording.
struct TimeScope: Sendable {
    let index: TimelineIndex
    let playbackService: PlaybackService
    /// The longest window, microseconds.
    let longestWindow: Int64
    /// Whether closed windows are redirected to the edges of their segments.
    let isCanonical: Bool
    let clock: @Sendable () -> Instant

    /// The answer instead of the requested one: a refusal, redirect or error; nil if the grant permits it.
    ///
    /// An error during the check is an answer, too, so that no request is answered unchecked.
    func answer(_ request: HTTPRequest, within grant: PlaybackGrant) async -> HTTPResponse? {
        // Other paths show no media.
        guard let route = ViewerRoute(path: request.path) else { return nil }
        do {
            guard let channel = try await index.channel(route.channel) else { return Fields.noSuchResource }
            let asked = try route.requestedTime(request, zone: WindowHandler.zone(of: channel))
            switch try await decision(asked, of: channel, by: grant, for: request.client) {
            case .permitted: return nil
            case .refused: return Fields.forbidden
            case .cut(let window, let grows): return Self.redirect(request, route, window, grows: grows)
            }
        } catch let error as ParameterError {
            return Problem(error).answer()
        } catch let error as CatalogueError {
            return Problem(.catalogue(error)).answer()
        } catch let error as PlaybackError {
            return Problem(error).answer()
        } catch {
            return Fields.forbidden
        }
    }

    /// Whether a grant permits a request, decided without a lookup; false also if a lookup is needed.
    func permitsAtOnce(_ request: HTTPRequest, within grant: PlaybackGrant) -> Bool {
        guard let route = ViewerRoute(path: request.path),
            let asked = try? route.requestedTime(request, zone: { _, _ in nil })
        else { return false }
        switch asked {
        case .none: return true
        case .segment(_, let start): return grant.permits(start)
        case .window(_, let begin, let end?, _): return grant.permits(TimeWindow(begin: begin, end: end))
        case .live(let delay, let length, _):
            return holdsLive(grant, delay, length) && !isNear(grant, shiftedBy: delay)
        case .picture, .window, .coverage, .endless, .endlessSince: return false
        }
    }

    private enum Decision {
        case permitted
        case refused
        /// A window with an open end, which the grant ends here.
        case cut(TimeWindow, grows: Bool)

        init(_ isPermitted: Bool) {
            self = isPermitted ? .permitted : .refused
        }
    }

    private func decision(
        _ asked: RequestedTime, of channel: Channel, by grant: PlaybackGrant, for client: String?,
    ) async throws(PlaybackError) -> Decision {
        switch asked {
        case .none: return .permitted
        case .segment(let rendition, let start):
            return try await decision(
                segmentAt: start, of: rendition, by: grant, channel: channel, for: client)
        case .picture(let rendition, let time):
            return try await decision(
                pictureAt: time, of: rendition, by: grant, channel: channel, for: client)
        case .window(let rendition, let begin, let end?, _):
            return try await decision(
                window: TimeWindow(begin: begin, end: end), of: rendition, by: grant, channel: channel,
                for: client)
        case .window(_, let begin, nil, let grows):
            return decision(openWindowFrom: begin, grows: grows, by: grant)
        case .coverage(let begin, let end):
            return decision(coverageOf: TimeWindow(begin: begin, end: end ?? clock()), by: grant)
        case .endlessSince(let rendition, let begin):
            return try await decision(
                streamFrom: begin, of: rendition, by: grant, channel: channel, for: client)
        case .endless(let delay):
            guard grant.end == nil, grant.permits(clock() - delay) else { return .refused }
            return Decision(try await beginsWithin(grant, shiftedBy: delay, channel, client))
        case .live(let delay, let length, let isShifted):
            return try await decision(
                live: delay, length: length, isShifted: isShifted, by: grant, channel: channel, for: client)
        }
    }

    /// A segment is permitted if its start is, or if the grant begins within it.
    private func decision(
        segmentAt start: Instant, of rendition: RenditionID, by grant: PlaybackGrant, channel: Channel,
        for client: String?,
    ) async throws(PlaybackError) -> Decision {
        if grant.permits(start) { return .permitted }
        let listed = try await listed(grant, channel, client)
        if listed.permits(start) { return .permitted }
        guard let begin = listed.begin, let segment = try await segment(at: begin, rendition, channel, client)
        else { return .refused }
        return Decision(segment.begin.milliseconds == start.milliseconds)
    }

    /// A window with an end is permitted also if a canonical redirect has moved its ends to the edges of
    /// segments.
    private func decision(
        window: TimeWindow, of rendition: RenditionID?, by grant: PlaybackGrant, channel: Channel,
        for client: String?,
    ) async throws(PlaybackError) -> Decision {
        if grant.permits(window) { return .permitted }
        guard isCanonical else { return .refused }
        let listed = try await listed(grant, channel, client)
        if listed.permits(window) { return .permitted }
        return Decision(try await extended(listed, rendition, channel, client).permits(window))
    }

    /// A window without an end is cut at the end of the grant if it reaches that.
    private func decision(openWindowFrom begin: Instant, grows: Bool, by grant: PlaybackGrant) -> Decision {
        guard grant.permits(begin) else { return .refused }
        guard let limit = grant.end, begin + longestWindow > limit else { return .permitted }
        guard grows || limit < clock() else { return .permitted }
        return .cut(TimeWindow(begin: begin, end: limit), grows: grows)
    }

    /// What is recorded of a window is told of the part that the grant permits.
    private func decision(coverageOf asked: TimeWindow, by grant: PlaybackGrant) -> Decision {
        // The answer to an empty window is an error, so it is permitted here.
        if asked.end <= asked.begin || grant.permits(asked) { return .permitted }
        let part = TimeWindow(
            begin: max(asked.begin, grant.begin ?? asked.begin),
            end: min(asked.end, grant.end ?? asked.end))
        return part.begin < part.end ? .cut(part, grows: false) : .refused
    }

    /// An endless stream ends with the grant if that has an end.
    private func decision(
        streamFrom begin: Instant, of rendition: RenditionID?, by grant: PlaybackGrant, channel: Channel,
        for client: String?,
    ) async throws(PlaybackError) -> Decision {
        guard grant.permits(begin) else { return .refused }
        guard let limit = grant.end else {
            return Decision(try await beginsWithin(grant, since: begin, rendition, channel, client))
        }
        return .cut(TimeWindow(begin: begin, end: min(limit, begin + longestWindow)), grows: true)
    }

    /// A live playlist that would list segments before the grant is cut at the beginning of the grant.
    ///
    /// Throws `nothingRecorded` as long as it would list nothing else: players ask again.
    private func decision(
        live delay: Int64, length: Int64?, isShifted: Bool, by grant: PlaybackGrant, channel: Channel,
        for client: String?,
    ) async throws(PlaybackError) -> Decision {
        guard holdsLive(grant, delay, length) else { return .refused }
        guard let begin = grant.begin, isNear(grant, shiftedBy: delay) else { return .permitted }
        var request = WindowRequest(.sliding(length: length, delay: delay))
        request.client = client
        let live = try await playbackService.compose(
            request, of: channel, now: clock(), findsAlternatives: false)
        let listed = live.renditions.map(\.segments)
        guard listed.contains(where: { ($0.first?.end ?? begin) <= begin && !$0.isEmpty }) else {
            return .permitted
        }
        guard listed.contains(where: { ($0.last?.end ?? begin) > begin }) else {
            // A time-shifted playlist also lists some segments after the time that it shows.
            if isShifted { return .permitted }
            throw .nothingRecorded(available: [])
        }
        let end = begin + longestWindow
        return .cut(TimeWindow(begin: begin, end: grant.end.map { min($0, end) } ?? end), grows: true)
    }

    /// A picture is permitted at an instant of the grant, which is extended to whole segments.
    private func decision(
        pictureAt time: Instant, of rendition: RenditionID?, by grant: PlaybackGrant, channel: Channel,
        for client: String?,
    ) async throws(PlaybackError) -> Decision {
        // A limit that is far from the instant needs no lookup.
        var near = grant
        if let end = grant.end, time < end { near.end = nil }
        if let begin = grant.begin, time - begin >= PlaybackService.pictureLookBack { near.begin = nil }
        let whole = try await extended(listed(near, channel, client), rendition, channel, client)
        guard whole.end.map({ time < $0 }) ?? true else { return .refused }
        guard let begin = whole.begin else { return .permitted }
        guard begin.milliseconds <= time.milliseconds else { return .refused }
        let permitted = TimeWindow(
            begin: begin, end: whole.end ?? grant.end ?? Instant(microseconds: .max))
        return try await decision(
            pictureAt: time, of: rendition, in: permitted, channel: channel, for: client)
    }

    private func holdsLive(_ grant: PlaybackGrant, _ delay: Int64, _ length: Int64?) -> Bool {
        let edge = clock() - delay
        return grant.permits(edge) && (length.map { grant.permits(edge - $0) } ?? true)
    }

    /// Whether a grant begins so late that a live playlist may have segments before that.
    private func isNear(_ grant: PlaybackGrant, shiftedBy delay: Int64) -> Bool {
        grant.begin.map { clock() - delay - $0 < Limits.liveLookBack } ?? false
    }

    /// Whether a stream begins within a grant; if nothing was recorded lately, it may begin earlier.
    private func beginsWithin(
        _ grant: PlaybackGrant, shiftedBy delay: Int64, _ channel: Channel, _ client: String?,
    ) async throws(PlaybackError) -> Bool {
        guard let begin = grant.begin,
            let first = try await playbackService.start(
                shiftedBy: delay, of: channel, now: clock(), for: client),
            first < begin
        else { return true }
        return try await segment(at: begin, nil, channel, client)?.begin == first
    }

    /// Whether a stream from a permitted instant on begins within a grant.
    ///
    /// If nothing is published after that instant yet, the stream begins at the live edge.
    private func beginsWithin(
        _ grant: PlaybackGrant, since begin: Instant, _ rendition: RenditionID?, _ channel: Channel,
        _ client: String?,
    ) async throws(PlaybackError) -> Bool {
        guard grant.begin != nil else { return true }
        switch try await playbackService.published(
            from: begin, of: channel, rendition, preferring: nil, for: client)
        {
        case .segments: return true
        case .nothing: return try await beginsWithin(grant, shiftedBy: clock() - begin, channel, client)
        }
    }

    /// Decides about the picture at a permitted instant.
    ///
    /// If the instant is in a hole, the last picture before it may be older than the token's window.
    private func decision(
        pictureAt time: Instant, of rendition: RenditionID?, in permitted: TimeWindow, channel: Channel,
        for client: String?,
    ) async throws(PlaybackError) -> Decision {
        let shown: FoundKeyFrame
        do throws(PlaybackError) {
            shown = try await playbackService.keyFrame(
                at: time, of: rendition, channel, now: clock(), for: client)
        } catch {
            switch error {
            // The answer is an error that states what is recorded.
            case .nothingRecorded, .noKeyFrames: return .permitted
            default: throw error
            }
        }
        guard shown.segment.start.milliseconds < permitted.begin.milliseconds else { return .permitted }
        var request = WindowRequest(.closed(begin: time, end: time + Microseconds.perMillisecond))
        request.client = client
        let held = try await playbackService.available(near: request, channel).filter {
            $0.overlaps(permitted)
        }
        throw .nothingRecorded(available: held.map { $0.clamped(to: permitted) })
    }

    /// The grant, extended to the edges of segments, where windows begin and end after canonical redirects.
    private func listed(
        _ grant: PlaybackGrant, _ channel: Channel, _ client: String?,
    ) async throws(PlaybackError) -> PlaybackGrant {
        guard isCanonical else { return grant }
        var extended = try await extended(grant, nil, channel, client)
        if let begin = grant.begin { extended.begin = extended.begin.map { min(begin, $0.nextMillisecond) } }
        if let end = grant.end { extended.end = extended.end.map { max(end, $0.lastMillisecond) } }
        return extended
    }

    /// A grant with the whole of the first and the last segment of a rendition, else of the leading one.
    ///
    /// Windows of the grant list these segments whole.
    private func extended(
        _ grant: PlaybackGrant, _ rendition: RenditionID?, _ channel: Channel, _ client: String?,
    ) async throws(PlaybackError) -> PlaybackGrant {
        var grant = grant
        if let begin = grant.begin, let first = try await segment(at: begin, rendition, channel, client) {
            grant.begin = min(begin, first.begin)
        }
        if let end = grant.end, let last = try await segment(at: end - 1, rendition, channel, client) {
            grant.end = max(end, last.end)
        }
        return grant
    }

    /// The segment of a rendition, else of the leading one, that an instant lies in; nil if there is none.
    private func segment(
        at instant: Instant, _ rendition: RenditionID?, _ channel: Channel, _ client: String?,
    ) async throws(PlaybackError) -> TimeWindow? {
        var request = WindowRequest(.closed(begin: instant, end: instant + 1))
        (request.allowsMissingTracks, request.client) = (true, client)
        do throws(PlaybackError) {
            let window = try await playbackService.compose(
                request, of: channel, now: clock(), findsAlternatives: false)
            let listed = rendition.map { window[$0] } ?? window.leading
            return listed?.segments.first.map { TimeWindow(begin: $0.start, end: $0.end) }
        } catch {
            switch error {
            case .nothingRecorded, .expired, .noSuchRendition: return nil
            default: throw error
            }
        }
    }

    /// The redirect of a window with an open end to the same with the end of the grant.
    private static func redirect(
        _ request: HTTPRequest, _ route: ViewerRoute, _ window: TimeWindow, grows: Bool,
    ) -> HTTPResponse {
        guard case .window(let route) = route else { return Fields.forbidden }
        let (begin, end) = (window.begin.parameterText, window.end.parameterText)
        var file = route.resource.file
        var items = ["begintime=\(begin)", "endtime=\(end)"]
        var replaced = Self.replaced
        if route.resource == .recordingStatus {
            (file, items) = ("recording_status.json", ["from=\(begin)", "to=\(end)"])
            replaced = ["from", "to"]
        }
        if let single = singleFile(request, route, window) { (file, items) = (single, []) }
        if grows, route.resource != .endlessStream { items.append("mode=event") }
        items += (request.query ?? "").split(separator: "&").map(String.init).filter { item in
            PercentEncoding.decoded(item.prefix { $0 != "=" }).map { !replaced.contains($0) } ?? false
        }
        var headers = Fields.common
        headers["Location"] = items.isEmpty ? file : "\(file)?\(items.joined(separator: "&"))"
        headers["Cache-Control"] = "no-store"
        return HTTPResponse(status: .found, headers: headers)
    }

    /// `video-{utc}-{duration}.m3u8` in place of a name that asks for one playlist without an end.
    private static func singleFile(
        _ request: HTTPRequest, _ route: WindowRoute, _ window: TimeWindow,
    ) -> String? {
        guard route.resource == .single, let dialect = route.dialect,
            let name = request.path.split(separator: "/").last, let last = name.lastIndex(of: "-")
        else { return nil }
        let isShifted = dialect.items.contains { $0.name == "timeshift" }
        let begin =
            isShifted ? "\(name.prefix { $0 != "-" })-\(window.begin.parameterText)-" : "\(name[...last])"
        return "\(begin)\(SecondsText.text(window.microseconds)).m3u8"
    }

    /// The parameters that the redirect writes afresh.
    private static let replaced: Set<String> = [
        "begintime", "utc", "lutc", "playseek", "mode", "event", "dvr", "delay", "timeshift",
    ]
}
