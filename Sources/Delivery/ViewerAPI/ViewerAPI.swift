package import Catalogue
package import Concurrency
import Export
package import HTTP
package import Logging
import Playback
package import SegmentStore
import Timeline

/// The API for players and for apps that import lists: `/live/` and `/iptv/`.
///
/// Segments, initialization sections and keys are answered without the catalogue. Playlists and downloads are
/// answered from the timeline in memory; what is missing there is read from the catalogue first.
package final class ViewerAPI: Sendable {
    private let objects: ObjectAnswers
    private let windows: WindowAnswers
    private let lists: ListAnswers
    private let index: TimelineIndex

    /// Creates the API of one archive.
    package init(
        catalogue: Catalogue, store: any SegmentStore, configuration: ViewerConfiguration,
        clock: HostClock, logger: Logger,
    ) {
        objects = ObjectAnswers(store: store, clock: clock.now, logger: logger)
        lists = ListAnswers(
            catalogue: catalogue, publicBase: configuration.publicBase, clock: clock, logger: logger)
        index = TimelineIndex(
            catalogue: catalogue, awaySeconds: configuration.awaySeconds,
            isShared: configuration.isShared, executor: configuration.background, clock: clock)
        windows = WindowAnswers(
            index: index,
            player: WindowPlayer(
                index: index, maxWindowSeconds: configuration.maxWindowSeconds,
                longAnswers: configuration.longAnswers),
            export: WindowExport(store: store, remuxProcesses: configuration.remuxProcesses),
            longestCanonical: configuration.isCanonical
                ? configuration.maxWindowSeconds * Microseconds.perSecond : nil,
            clock: clock, logger: logger)
    }

    /// Keeps the timeline in memory up to date with the catalogue, until cancelled.
    ///
    /// Answers are correct without it; with it they do not have to read the catalogue.
    package func run() async {
        await index.run()
    }

    /// Refuses every body: no request of this API has one; nil when the path belongs to another part of the
    /// server.
    package func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission? {
        guard request.path.utf8.starts(with: ViewerRoute.root.utf8) || ListRoute(path: request.path) != nil
        else { return nil }
        switch request.method {
        case .get, .head, .options: return .upTo(0)
        default: return .refused(Fields.methodNotAllowed())
        }
    }

    /// The answer to a request; nil when the path belongs to another part of the server.
    package func answer(_ request: HTTPRequest) -> HTTPAnswer? {
        let isMedia = request.path.utf8.starts(with: ViewerRoute.root.utf8)
        let list = isMedia ? nil : ListRoute(path: request.path)
        guard isMedia || list != nil else { return nil }
        switch request.method {
        case .get, .head: break
        case .options: return .now(Fields.preflight(request.headers))
        default: return .now(Fields.methodNotAllowed())
        }
        if let list { return answer(request, list) }
        // Every playlist ends in "8": most requests for one are answered before its path is taken apart.
        let isPlaylist = request.path.utf8.last == UInt8(ascii: "8")
        if isPlaylist, let known = windows.cachedAnswer(request, AnswerCache.Key(request)) {
            return .now(known)
        }
        switch ViewerRoute(path: request.path) {
        case nil:
            guard let list = ListRoute(path: request.path) else { return .now(Fields.noSuchResource) }
            return answer(request, list)
        case .object(let key): return objects.answer(request, key: key)
        case .window(let route):
            let key = AnswerCache.Key(request)
            if let known = windows.answerFromMemory(request, key, route: route) { return .now(known) }
            let windows = windows
            return .later {
                await windows.caching(request, key, of: route.channel) {
                    await windows.answer(request, key, route: route)
                }
            }
        }
    }

    private func answer(_ request: HTTPRequest, _ list: ListRoute) -> HTTPAnswer {
        .later { [lists] in await lists.answer(request, list, prefix: "") }
    }
}
