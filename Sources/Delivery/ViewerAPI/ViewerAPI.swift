import Access
package import Catalogue
package import Concurrency
import Export
package import HTTP
package import Logging
import Pictures
import Playback
package import SegmentStore
import Timeline

/// The API for players and for apps that import lists: `/live/` and `/iptv/`.
///
/// Segments, initialization sections and keys are answered without the catalogue. Playlists and downloads are
/// answered from the timeline in memory; what is missing there is read from the catalogue first.
package final class ViewerAPI: Sendable {
    private let objects: ObjectHandler
    private let windows: WindowHandler
    private let lists: ListHandler
    private let index: TimelineIndex
    let access: PlaybackAccess
    private let gate: AccessGate
    private let scope: TimeScope

    /// Creates the API of one archive.
    package init(
        catalogue: Catalogue, store: any SegmentStore, configuration: ViewerConfiguration,
        clock: HostClock, logger: Logger,
    ) {
        let longestWindow = configuration.maxWindowSeconds * Microseconds.perSecond
        objects = ObjectHandler(store: store, clock: clock, logger: logger)
        index = Self.index(of: catalogue, configuration, clock, logger)
        let playbackService = PlaybackService(
            index: index, maxWindowSeconds: configuration.maxWindowSeconds,
            longAnswers: configuration.longAnswers)
        access = PlaybackAccess(
            signer: configuration.tokenSigner, catalogue: catalogue, clock: clock, logger: logger)
        gate = AccessGate(access: access)
        scope = TimeScope(
            index: index, playbackService: playbackService,
            longestWindow: longestWindow, isCanonical: configuration.isCanonical, clock: clock.now)
        windows = WindowHandler(
            index: index, playbackService: playbackService,
            export: WindowExport(
                store: store, remuxProcesses: configuration.remuxProcesses, ffmpeg: configuration.ffmpeg),
            pictures: PictureMaker(
                store: store, processes: configuration.remuxProcesses, program: configuration.ffmpeg),
            longestCanonical: configuration.isCanonical ? longestWindow : nil, clock: clock, logger: logger)
        lists = ListHandler(
            catalogue: catalogue, index: index, windows: windows, scope: scope,
            publicBase: configuration.publicBase,
            maxWindowSeconds: configuration.maxWindowSeconds, clock: clock, logger: logger)
    }

    private static func index(
        of catalogue: Catalogue, _ configuration: ViewerConfiguration, _ clock: HostClock, _ logger: Logger,
    ) -> TimelineIndex {
        TimelineIndex(
            catalogue: catalogue, maxStaleSeconds: configuration.maxStaleSeconds,
            isShared: configuration.isShared, executor: configuration.background, clock: clock
        ) { excess in
            logger.warning(
                "Playlists leave out the last markers of a day, because it has too many",
                metadata: [
                    "channel": "\(excess.channel)", "day": "\(excess.day.rfc3339)",
                    "last": "\(excess.last.rfc3339)",
                ])
        }
    }

    /// Keeps the timeline in memory up to date with the catalogue, and follows which tokens are revoked,
    /// until cancelled.
    ///
    /// Without it answers are correct, too, but have to read the catalogue. If playback needs tokens, none is
    /// accepted before this has started.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.index.run() }
            group.addTask { await self.access.run() }
        }
    }

    /// Whether a path belongs to this API.
    private static func owns(_ path: String) -> Bool {
        path.utf8.starts(with: ViewerRoute.root.utf8) || path.utf8.starts(with: TokenPath.root.utf8)
            || ListRoute(path: path) != nil
    }

    /// Refuses every body but the forms of the Xtream Codes API; nil when the path belongs to another part of
    /// the server.
    package func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission? {
        guard Self.owns(request.path) else { return nil }
        switch request.method {
        case .get, .head, .options: return .upTo(0)
        case .post where XtreamForm.isTaken(at: request.path): return .upTo(Limits.formBytes)
        default: return .refused(Fields.methodNotAllowed(at: request.path))
        }
    }

    /// The answer to a request; nil when the path belongs to another part of the server.
    package func answer(_ request: HTTPRequest) -> HTTPAnswer? {
        guard Self.owns(request.path) else { return nil }
        switch request.method {
        case .get, .head: break
        case .options: return .now(Fields.preflight(request.headers, at: request.path))
        case .post where XtreamForm.isTaken(at: request.path):
            guard let unpacked = XtreamForm.unpacked(request) else {
                return .now(Fields.unsupportedMediaType)
            }
            return answer(unpacked)
        default: return .now(Fields.methodNotAllowed(at: request.path))
        }
        switch gate.outcome(request) {
        case .refused(let response): return .now(response)
        case .admitted(let request, let viewer):
            let answer = answer(request, to: viewer)
            return viewer.grant.map { answer.guarded(by: access, for: $0, request.path) } ?? answer
        }
    }

    /// The answer to a viewer who may ask; the request is without its token.
    private func answer(_ request: HTTPRequest, to viewer: ViewerAccess) -> HTTPAnswer {
        guard request.path.utf8.starts(with: ViewerRoute.root.utf8) else { return list(request, to: viewer) }
        guard let grant = viewer.grant, grant.isLimitedInTime, !scope.permitsAtOnce(request, within: grant)
        else { return media(request, to: viewer) }
        return .later { [scope] in
            if let instead = await scope.answer(request, within: grant) { return instead }
            switch self.media(request, to: viewer) {
            case .now(let response): return response
            case .later(let make), .lightweight(let make), .reserved(let make): return await make()
            }
        }
    }

    /// The answer to a path below `/live/`.
    private func media(_ request: HTTPRequest, to viewer: ViewerAccess) -> HTTPAnswer {
        // Most requests for playlists are answered before the path is taken apart.
        if AnswerCache.isOfPlaylist(request.path),
            let known = windows.cachedAnswer(request, AnswerCache.Key(request))
        {
            return .now(known)
        }
        switch ViewerRoute(path: request.path) {
        case nil: return list(request, to: viewer)
        case .object(let key): return objects.answer(request, key: key)
        case .window(let route):
            let key = AnswerCache.Key(request)
            if let known = windows.answerFromMemory(request, key, route: route) { return .now(known) }
            let windows = windows
            let make = { @Sendable () async in
                await windows.caching(request, key, of: route.channel) {
                    await windows.answer(request, key, route: route)
                }
            }
            // A task may begin on the server's thread: what may compute for long moves to another one.
            return windows.isShort(request, route)
                ? .lightweight(make) : .later { await onAnotherThread(make) }
        }
    }

    private func list(_ request: HTTPRequest, to viewer: ViewerAccess) -> HTTPAnswer {
        guard let list = ListRoute(path: request.path) else { return .now(Fields.noSuchResource) }
        return .later { [lists] in await lists.answer(request, list, to: viewer) }
    }
}
