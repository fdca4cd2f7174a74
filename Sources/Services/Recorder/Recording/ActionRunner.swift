import Catalogue
import Concurrency
import Journal
import Logging
import Monitoring
import SegmentStore
import Timeline

/// Does what `RecordingState` decides for one channel: asks the source, the journal, the archive and the
/// catalogue.
struct ActionRunner: ActionPerforming {
    private let channel: Channel
    private let dependencies: RecorderDependencies
    private let journal: ChannelJournal
    private let sources: SourceConnections
    private let logger: Logger

    init(channel: Channel, dependencies: RecorderDependencies, journal: ChannelJournal, logger: Logger) {
        self.channel = channel
        self.dependencies = dependencies
        self.journal = journal
        self.logger = logger
        sources = SourceConnections(channel: channel, dependencies: dependencies)
    }

    /// Publishes a status or writes a log line; returns at once.
    func report(_ action: RecordingAction) {
        switch action {
        case .publishStatus(let status):
            dependencies.board.set(status, of: channel.id)
        case .log(let message):
            logger.log(
                level: message.level, "\(message.text)",
                metadata: message.metadata.mapValues { .string($0) })
        default: break
        }
    }

    /// Performs one action and returns the event that answers it; nil if none does.
    func perform(_ action: RecordingAction) async -> RecordingEvent? {
        switch action {
        case .fetchPlaylist(let request): return await fetch(request)
        case .fetchSegment(let request): return await fetch(request)
        case .probeSegment(let request): return await probe(request)
        case .openPendingSegment(let segment, let use): return await open(segment, use)
        case .journal(let entries):
            return .journalWritten(
                await Result(of: { () throws(JournalError) in try await journal.append(entries) }))
        case .readJournal(let position, let limit): return .journalRead(await read(after: position, limit))
        case .trimJournal(let positions): await journal.trim(positions)
        case .setAside(let entries, let reason): await setAside(entries, reason)
        case .commit(let batch):
            let committer = dependencies.committer
            return .catalogueAnswered(
                await Result(of: { () throws(CatalogueError) in try await committer.commit(batch) }))
        case .setPlaylistForm(let form): await set(form)
        case .deleteObject(let key): await delete(key)
        case .publishStatus, .log, .wait, .cancelFetches, .end: break
        }
        return nil
    }

    // MARK: The source

    private func fetch(_ request: PlaylistRequest) async -> RecordingEvent {
        do throws(SourceError) {
            let link = try sources.link(of: request.use, forFailback: request.purpose == .failbackCheck)
            switch try await link.playlist(request, clock: dependencies.clock) {
            case .playlist(let fetched): return .playlistArrived(fetched, request)
            case .unchanged(let arrival): return .playlistUnchanged(arrival, request)
            }
        } catch {
            return .playlistFailed(error, request)
        }
    }

    private func fetch(_ request: SegmentRequest) async -> RecordingEvent {
        do throws(FetchFailure) {
            let fetcher = try sources.fetcher(of: request.segment.identity.rendition, request.use)
            switch try await fetcher.fetch(request) {
            case .stored(let stored): return .segmentStored(stored, request)
            case .keyPending(let segment, let isDenied):
                return .segmentKeyMissed(segment, request, isDenied: isDenied)
            }
        } catch {
            return .segmentFailed(error, request)
        }
    }

    private func probe(_ request: ProbeRequest) async -> RecordingEvent {
        do throws(FetchFailure) {
            let fetcher = try sources.fetcher(of: request.segment.identity.rendition, request.use)
            return .segmentProbed(try await fetcher.probe(request), request)
        } catch {
            return .probeFailed(request)
        }
    }

    private func open(_ segment: KeyPendingSegment, _ use: SourceUse) async -> RecordingEvent {
        do throws(FetchFailure) {
            let fetcher = try sources.fetcher(of: segment.identity.rendition, use)
            return .pendingSegmentOpened(.success(try await fetcher.open(segment)), segment)
        } catch {
            return .pendingSegmentOpened(.failure(error), segment)
        }
    }

    // MARK: Journal, archive and catalogue

    private func read(
        after position: JournalPosition?, _ limit: Int,
    ) async -> Result<[JournalLineRead], JournalError> {
        await Result(of: { () throws(JournalError) in
            try await journal.replay(after: position, limit: limit).map {
                JournalLineRead(position: $0.0, entry: $0.1)
            }
        })
    }

    /// Entries that cannot be set aside stay in the journal until the next start.
    private func setAside(_ entries: [RefusedEntry], _ reason: String) async {
        do {
            _ = try await journal.setAside(
                refused: entries.map { ($0.entry, $0.position) }, because: reason)
        } catch {
            logger.error("Refused facts could not be moved to refused.jsonl", metadata: ["error": "\(error)"])
        }
    }

    /// Recording goes on without it: it is entered again when the source is opened the next time.
    private func set(_ form: PlaylistForm) async {
        do {
            try await dependencies.catalogue.setPlaylistForm(form, of: channel.row)
        } catch {
            logger.warning("Cannot enter the playlist form", metadata: ["error": "\(error)"])
        }
    }

    private func delete(_ key: ArchiveKey) async {
        do {
            try await dependencies.deleteUnused(key)
        } catch {
            logger.warning("Cannot delete bytes before their hour expires", metadata: ["error": "\(error)"])
        }
    }
}
