import Catalogue
import Synchronization
import Timeline

/// The connections of a channel to its sources, with the keys and initialization sections that were read
/// through them.
///
/// Downloads of a use may still run when the next one has begun, so the last few are kept.
final class SourceConnections: Sendable {
    private struct Connection: Sendable {
        var use: SourceUse
        var link: SourceClient
        var fetchers: [RenditionID: SegmentFetcher] = [:]
    }

    private let channel: Channel
    private let dependencies: RecorderDependencies
    private let keys: KeyCache
    private let recording = Mutex<[Connection]>([])
    private let failbackCheck = Mutex<Connection?>(nil)

    init(channel: Channel, dependencies: RecorderDependencies) {
        self.channel = channel
        self.dependencies = dependencies
        keys = KeyCache(channel: channel.id, store: dependencies.store, clock: dependencies.clock)
    }

    func link(of use: SourceUse, forFailback: Bool) throws(SourceError) -> SourceClient {
        guard forFailback else {
            return try recording.withLock { (known) throws(SourceError) in try connection(use, &known).link }
        }
        return try failbackCheck.withLock { (known) throws(SourceError) in
            if let known, known.use == use { return known.link }
            let link = try open(use)
            known = Connection(use: use, link: link)
            return link
        }
    }

    /// Fetches segments of a rendition through a use's connection.
    func fetcher(of rendition: RenditionID, _ use: SourceUse) throws(FetchFailure) -> SegmentFetcher {
        do {
            return try recording.withLock { (known) throws(SourceError) in
                let connection = try connection(use, &known)
                if let fetcher = connection.fetchers[rendition] { return fetcher }
                let fetcher = makeFetcher(rendition, connection.link)
                guard let place = known.firstIndex(where: { $0.use == use }) else { return fetcher }
                known[place].fetchers[rendition] = fetcher
                return fetcher
            }
        } catch {
            throw FetchFailure(.segmentMissing, "\(error)")
        }
    }

    /// Cancels all running requests for keys; nothing is fetched afterwards.
    func cancelKeyRequests() async { await keys.cancelRequests() }

    private func connection(
        _ use: SourceUse, _ known: inout [Connection],
    ) throws(SourceError) -> Connection {
        if let place = known.firstIndex(where: { $0.use == use }) {
            // The least recently used one is removed.
            let connection = known.remove(at: place)
            known.append(connection)
            return connection
        }
        let connection = Connection(use: use, link: try open(use))
        known.append(connection)
        if known.count > Limits.keptConnections { known.removeFirst() }
        return connection
    }

    private func open(_ use: SourceUse) throws(SourceError) -> SourceClient {
        do {
            return try SourceClient(
                use.source, client: dependencies.client, policy: dependencies.addressPolicy)
        } catch {
            throw .unreachable("\(error)")
        }
    }

    private func makeFetcher(_ rendition: RenditionID, _ link: SourceClient) -> SegmentFetcher {
        SegmentFetcher(
            channel: channel.id, rendition: rendition, link: link, store: dependencies.store, keys: keys,
            initializations: InitSectionCache(
                channel: channel.id, rendition: rendition, store: dependencies.store),
            encryption: channel.settings.encryption, isDiskFull: dependencies.isDiskFull)
    }
}
