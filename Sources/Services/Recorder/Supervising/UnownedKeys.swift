import Catalogue
import Concurrency
import Journal
import Logging
import Timeline

/// Segments that this node stored without their keys, of a channel that another node records by now.
///
/// Nobody else has them, and their source may give other keys later. So the keys are asked for as the owner
/// does it, one at a time and for six hours. This runs beside the task of the channel, which must take the
/// lease whenever it becomes free. Only that task writes to the journal.
actor UnownedKeys {
    /// A segment that was decrypted, and the journal's line of it as one that waits for its key.
    struct Opened: Sendable {
        var segment: KeyPendingSegment
        var fact: SegmentFact
        var line: JournalPosition
    }

    private let channel: Channel
    private let clock: HostClock
    private let connections: SourceConnections
    private let logger: Logger
    private var retries = KeyRetries()
    private var lines: [SegmentIdentity: JournalPosition] = [:]
    /// Numbers for the uses of sources, by URL.
    private var uses: [String: SourceUse] = [:]
    /// What the journal does not have yet.
    private var opened: [Opened] = []
    /// Asks for keys now.
    private var opening: Task<Void, Never>?

    init(channel: Channel, dependencies: RecorderDependencies, logger: Logger) {
        self.channel = channel
        self.logger = logger
        clock = dependencies.clock
        connections = SourceConnections(channel: channel, dependencies: dependencies)
    }

    /// Takes what the journal has; what was taken before stays as it is.
    func take(_ waiting: [(JournalPosition, KeyPendingSegment)]) {
        let now = clock.steady()
        for (position, segment) in waiting where lines[segment.identity] == nil {
            guard let use = use(of: segment) else { continue }
            lines[segment.identity] = position
            // What there is no room for waits until this node records the channel again.
            _ = retries.add(segment, use, now: now)
        }
    }

    /// Asks for keys whose turn it is, unless it does so already; returns at once.
    func start() {
        guard opening == nil else { return }
        opening = Task { await openDue() }
    }

    /// Enters what was opened since the last call.
    ///
    /// - Returns: whether the journal has changed
    func enterOpened(in journal: UnownedJournal) async throws -> Bool {
        guard !opened.isEmpty else { return false }
        let entering = opened
        opened = []
        let written: [(JournalPosition, JournalEntry)]
        do {
            written = try await journal.replace(entering)
        } catch {
            for one in entering { retries.notWritten(one.segment, now: clock.steady()) }
            throw error
        }
        for one in entering {
            retries.settled(one.segment, now: clock.steady())
            lines[one.segment.identity] = nil
        }
        logger.info(
            "Segments got their keys while another node records the channel",
            metadata: ["segments": "\(entering.count)"])
        try await journal.enter(written, replacing: entering)
        return true
    }

    /// Segments that wait to be entered.
    var openedCount: Int { opened.count }

    /// Stops asking for keys; the journal still has what was not entered.
    ///
    /// It does not wait for long: what still runs then may store a file, and nothing else.
    func cancel() async {
        guard let opening else { return }
        opening.cancel()
        await connections.cancelKeyRequests()
        let clock = clock
        let end: Void? = try? await withCancellationShield(by: clock) {
            await opening.value(within: Limits.unownedKeysEnd, by: clock)
        }
        if end == nil { logger.info("A segment that gets its key is not waited for") }
    }

    /// Opens segments whose turn it is, until a key is missing.
    private func openDue() async {
        defer { opening = nil }
        _ = retries.expired(now: clock.steady())
        while opened.count < Limits.openedAtOnce, !Task.isCancelled,
            let (segment, use) = retries.start(now: clock.steady())
        {
            do throws(FetchFailure) {
                let fetcher = try connections.fetcher(of: segment.identity.rendition, use)
                let stored = try await fetcher.open(segment)
                retries.opened(segment)
                add(stored, segment)
            } catch {
                _ = retries.failed(segment, error, now: clock.steady())
            }
        }
    }

    private func add(_ stored: StoredSegment, _ segment: KeyPendingSegment) {
        let fact = stored.fact(
            of: segment.placed, channel.id, stored.format, date: segment.programDateTime,
            arrived: segment.arrived, fence: segment.fence ?? 0)
        guard var fact, let line = lines[segment.identity] else { return }
        fact.setTags(segment.cueTags)
        opened.append(Opened(segment: segment, fact: fact, line: line))
    }

    private func use(of segment: KeyPendingSegment) -> SourceUse? {
        guard let source = channel.settings.source(of: segment) else { return nil }
        let use = uses[source.url] ?? SourceUse(number: uses.count + 1, source: source)
        uses[source.url] = use
        return use
    }
}

extension ChannelSettings {
    /// The source whose headers are sent for the keys of a segment.
    func source(of segment: KeyPendingSegment) -> SourceSettings? {
        sources.first { SourceClient.identity($0.url) == segment.source }
            // Lines of older recorders have what logs show.
            ?? sources.first { SourceClient.logged($0.url) == segment.source }
            ?? sources.first
    }
}
