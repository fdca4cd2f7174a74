import Catalogue
import Concurrency
import HLS
import HTTP
import HTTPClient
import Logging
import Timeline

/// Records from one source: reads its first playlist, sets up the renditions, and polls them all.
struct SourceRecorder: Sendable {
    let recorder: ChannelRecorder
    let link: SourceLink
    let fetching: ChannelFetching
    let hasAlternative: Bool

    private var parts: RecorderParts { recorder.parts }
    private var channel: Channel { recorder.channel }

    /// Records until cancelled, or until the source must be opened anew or left for another one.
    func run() async throws -> RenditionRecorder.Ending {
        let first = try await link.playlist(link.url, now: parts.clock, fresh: true)
        switch first.playlist {
        case .media(let list):
            guard !list.isIFramesOnly else {
                throw PlaylistFailure(description: "the playlist holds I-frames only, which is no channel")
            }
            return await recordSingle(first)
        case .multivariant(let list):
            return try await recordAll(list, base: first.base)
        }
    }

    private func recordSingle(_ first: FetchedPlaylist) async -> RenditionRecorder.Ending {
        let id = RenditionID(kind: .video, index: 0)
        await recorder.open([RenditionDescription(id: id)])
        await fixShape(.media)
        let session = SourceSession([id: link.url], link: link, clock: parts.clock)
        return await renditionRecorder(id, session).run(first: first)
    }

    private func recordAll(_ list: MultivariantPlaylist, base: HTTPURL) async throws
        -> RenditionRecorder.Ending
    {
        let plan = await plan(list)
        guard !plan.items.isEmpty else {
            throw PlaylistFailure(description: "no rendition of the source is one that the channel asks for")
        }
        let places = try self.places(of: plan, base: base)
        await recorder.open(plan.items.map(\.description))
        await fixShape(.multivariant)
        let session = SourceSession(
            places, variables: list.variables, link: link, clock: parts.clock,
        ) { list, base in
            try self.places(of: await self.plan(list), base: base)
        }
        // A rendition that cannot go on ends them all: the source is opened anew.
        return await withTaskGroup(of: RenditionRecorder.Ending.self) { group in
            for id in places.keys {
                let rendition = renditionRecorder(id, session)
                group.addTask { await rendition.run(first: nil) }
            }
            group.addTask {
                await session.watch()
                return Task.isCancelled ? .cancelled : .needsReload("the renditions have changed")
            }
            let ending = await group.next() ?? .cancelled
            group.cancelAll()
            return ending
        }
    }

    private func plan(_ list: MultivariantPlaylist) async -> RenditionPlan {
        let known = await recorder.renditions.values.map(\.description)
        return RenditionPlan(list, choice: channel.settings.renditions, known: known)
    }

    private func places(of plan: RenditionPlan, base: HTTPURL) throws -> [RenditionID: HTTPURL] {
        var places: [RenditionID: HTTPURL] = [:]
        for item in plan.items {
            places[item.description.id] = try link.resolve(item.uri, against: base)
        }
        return places
    }

    private func renditionRecorder(_ id: RenditionID, _ session: SourceSession) -> RenditionRecorder {
        RenditionRecorder(
            recorder: recorder, session: session, fetcher: fetching.fetcher(of: id, link: link),
            fetching: fetching, hasAlternative: hasAlternative)
    }

    /// A catalogue that is away must not keep the first list waiting: it is entered when it can be.
    private func fixShape(_ shape: PlaylistForm) async {
        let entering = Task {
            do {
                try await parts.catalogue.setPlaylistForm(shape, of: channel.row)
            } catch {
                recorder.logger.warning(
                    "The channel's shape could not be entered", metadata: ["cause": "\(error)"])
            }
        }
        _ = await entering.value(within: Limits.shapePatience, by: parts.clock)
    }
}
