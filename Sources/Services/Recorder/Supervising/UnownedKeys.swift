import Catalogue
import Concurrency
import Journal
import Logging
import Timeline

/// Requests keys for segments that this node stored without them, of a channel that another node records now.
///
/// Only this node has these segments, and the source may replace their keys. So it requests the keys like
/// the owner of a channel: one at a time, for up to six hours. The requests run in a separate task, so that
/// the channel's own task can take the lease at any time. Only the channel's task writes to the journal.
actor UnownedKeys {
    /// A segment that has its key now, and the position of the journal line in which it waits for the key.
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
    /// Segments that still have to be entered.
    private(set) var opened: [Opened] = []
    /// The task that requests keys now.
    private var opening: Task<Void, Never>?

    init(channel: Channel, dependencies: RecorderDependencies, logger: Logger) {
        self.channel = channel
        self.logger = logger
        clock = dependencies.clock
        connections = SourceConnections(channel: channel, dependencies: dependencies)
    }

    /// Adds waiting segments of the journal; those added before do not change.
    ///
    /// A line of an earlier version has no fence, without which a segment may be mistaken for one of a former
    /// timeline. It waits until this node records the channel again.
    func take(_ waiting: [(JournalPosition, KeyPendingSegment)]) {
        let now = clock.steady()
        for (position, segment) in waiting where segment.fence != nil && lines[segment.identity] == nil {
            guard let use = use(of: segment) else { continue }
            lines[segment.identity] = position
            // If there is no room, it also waits until this node records the channel again.
            _ = retries.add(segment, use, now: now)
        }
    }

    /// Starts to request the keys that are due, unless a task does so already; does not wait.
    func start() {
        guard opening == nil else { return }
        opening = Task { await openDue() }
    }

    /// Enters the segments that got their keys since the last call.
    ///
    /// They are written to the journal first, and stay there if the catalogue is away.
    func enterOpened(in journal: UnownedJournal) async throws {
        guard !opened.isEmpty else { return }
        let written = opened
        opened = []
        let entries: [(JournalPosition, JournalEntry)]
        do {
            entries = try await journal.replace(written)
        } catch {
            for one in written { retries.notWritten(one.segment, now: clock.steady()) }
            throw error
        }
        for one in written {
            retries.settled(one.segment, now: clock.steady())
            lines[one.segment.identity] = nil
        }
        logger.info(
            "Segments got their keys while another node records the channel",
            metadata: ["segments": "\(written.count)"])
        try await journal.enter(entries)
    }

    /// Stops the requests; what was not entered still waits in the journal.
    ///
    /// Waits for at most `Limits.unownedKeysEnd`. A request that still runs then can only store a file.
    func cancel() async {
        guard let opening else { return }
        opening.cancel()
        await connections.cancelKeyRequests()
        let clock = clock
        let end: Void? = try? await withCancellationShield(by: clock) {
            await opening.value(within: Limits.unownedKeysEnd, by: clock)
        }
        if end == nil { logger.info("A request for a key did not end in time") }
    }

    /// Decrypts the segments that are due, until a key is missing.
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
        guard let line = lines[segment.identity], let fence = segment.fence,
            var fact = stored.fact(
                of: segment.placed, channel.id, stored.format, date: segment.programDateTime,
                arrived: segment.arrived, fence: fence)
        else { return }
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
            // Lines of older recorders contain the URL as logs show it.
            ?? sources.first { SourceClient.logged($0.url) == segment.source }
            ?? sources.first
    }
}
