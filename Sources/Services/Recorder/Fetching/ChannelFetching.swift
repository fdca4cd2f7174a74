import Catalogue
import Concurrency
import HTTP
import Synchronization
import Timeline

/// What the downloads of a channel share, whichever source they are from.
struct ChannelFetching: Sendable {
    let recorder: ChannelRecorder
    let keys: KeyKeeper
    let room: KeyRoom
    let pools = FetchPools()

    init(recorder: ChannelRecorder) {
        self.recorder = recorder
        let parts = recorder.parts
        keys = KeyKeeper(channel: recorder.channel.id, store: parts.store, clock: parts.clock)
        room = KeyRoom(recorder: recorder)
    }

    /// Fetches segments of a rendition from a source.
    func fetcher(of rendition: RenditionID, link: SourceLink) -> SegmentFetcher {
        let (channel, parts) = (recorder.channel, recorder.parts)
        return SegmentFetcher(
            channel: channel.id, rendition: rendition, link: link, store: parts.store, keys: keys,
            initializations: InitializationKeeper(
                channel: channel.id, rendition: rendition, store: parts.store),
            encryption: channel.settings.encryption, clock: parts.clock, isDiskFull: parts.isDiskFull)
    }

    /// Gives the segments that an earlier process left without keys to the sources that they are from.
    func resumeWaiting() async throws {
        let (settings, parts) = (recorder.channel.settings, recorder.parts)
        let segments = await recorder.takeReplayedKeyPendings()
        guard !segments.isEmpty else { return }
        let links = try settings.sources.map {
            try SourceLink($0, client: parts.client, policy: parts.addressPolicy)
        }
        for segment in segments {
            guard let link = links.first(where: { $0.url.description == segment.source }) ?? links.first
            else { return }
            await room.add(segment, fetcher: fetcher(of: segment.identity.rendition, link: link))
        }
    }
}

/// The fetch pools of a channel's renditions; they outlive a source, so that running downloads may finish.
final class FetchPools: Sendable {
    private let pools = Mutex<[RenditionID: FetchPool]>([:])

    func pool(of rendition: RenditionID) -> FetchPool {
        pools.withLock { pools in
            if let known = pools[rendition] { return known }
            let pool = FetchPool(parallel: Limits.parallelFetches)
            pools[rendition] = pool
            return pool
        }
    }

    /// Lets running downloads finish within the time given, all renditions at once.
    func drain(within time: Duration) async {
        let all = pools.withLock { Array($0.values) }
        await withDiscardingTaskGroup { group in
            for pool in all { group.addTask { await pool.drain(within: time) } }
        }
    }
}
