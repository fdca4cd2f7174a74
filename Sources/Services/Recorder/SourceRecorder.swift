import Catalogue
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
        await recorder.open(RenditionDescription(id: id))
        await fixShape(.media)
        return await renditionRecorder(id, url: link.url).run(first: first)
    }

    private func recordAll(_ list: MultivariantPlaylist, base: HTTPURL) async throws
        -> RenditionRecorder.Ending
    {
        let known = await recorder.renditions.values.map(\.description)
        let plan = RenditionPlan(list, choice: channel.settings.renditions, known: known)
        guard !plan.items.isEmpty else {
            throw PlaylistFailure(description: "no rendition of the source is one that the channel asks for")
        }
        for item in plan.items { await recorder.open(item.description) }
        await fixShape(.multivariant)
        return try await withThrowingTaskGroup(of: RenditionRecorder.Ending.self) { group in
            for item in plan.items {
                let url = try link.resolve(item.uri, against: base)
                let rendition = renditionRecorder(item.description.id, url: url)
                group.addTask { await rendition.run(first: nil) }
            }
            // The first that ends, ends them all: the source is opened anew with fresh URLs for each.
            let ending = try await group.next() ?? .cancelled
            group.cancelAll()
            return ending
        }
    }

    private func renditionRecorder(_ id: RenditionID, url: HTTPURL) -> RenditionRecorder {
        RenditionRecorder(
            recorder: recorder,
            fetcher: fetching.fetcher(of: id, link: link),
            pool: fetching.pools.pool(of: id), room: fetching.room, url: url, clock: parts.clock,
            hasAlternative: hasAlternative)
    }

    private func fixShape(_ shape: ChannelShape) async {
        do {
            try await parts.catalogue.setShape(shape, of: channel.row)
        } catch {
            recorder.logger.warning(
                "The channel's shape could not be entered", metadata: ["cause": "\(error)"])
        }
    }
}
