package import Catalogue
package import Concurrency
package import Logging
package import SegmentStore
import Timeline

/// Deletes what exceeds a channel's retention or size limit, and the oldest recordings when the disk is full.
///
/// Segments first expire in the catalogue. Their files are deleted after a grace period.
package struct RetentionService: Sendable {
    package struct Configuration: Sendable {
        /// Seconds that files stay after their segments expired, for players that hold an older playlist.
        package var graceSeconds: Int
        package var floor: DiskGuard.Floor

        package init(graceSeconds: Int, floor: DiskGuard.Floor) {
            self.graceSeconds = graceSeconds
            self.floor = floor
        }
    }

    let catalogue: Catalogue
    let store: any SegmentStore
    let configuration: Configuration
    let diskGuard: DiskGuard
    /// Whether the catalogue has the program's schema; once it has, it keeps it.
    let isCatalogueReady: @Sendable () -> Bool
    let clock: HostClock
    private let started: SteadyInstant
    /// The time from which ages are measured.
    package let ages = RetentionClock()
    /// Whether what is deleted under disk pressure becomes free.
    let effect = DeletionEffect()
    private let databaseTime: @Sendable () async throws -> Instant
    private let backlog: BacklogWatch
    let archive: ArchiveCheck
    let logger: Logger

    package init(
        catalogue: Catalogue, store: any SegmentStore, configuration: Configuration, diskGuard: DiskGuard,
        isCatalogueReady: @escaping @Sendable () -> Bool, clock: HostClock, logger: Logger,
    ) {
        self.init(
            catalogue: catalogue, store: store, configuration: configuration, diskGuard: diskGuard,
            isCatalogueReady: isCatalogueReady, clock: clock, logger: logger,
            databaseTime: { try await catalogue.databaseTime() })
    }

    /// Takes the database's clock, and since when the catalogue has been there; a test sets both.
    init(
        catalogue: Catalogue, store: any SegmentStore, configuration: Configuration, diskGuard: DiskGuard,
        isCatalogueReady: @escaping @Sendable () -> Bool = { true }, clock: HostClock, logger: Logger,
        reachableSince: SteadyInstant? = nil, databaseTime: @escaping @Sendable () async throws -> Instant,
    ) {
        backlog = BacklogWatch(reachableSince: reachableSince)
        self.catalogue = catalogue
        self.store = store
        self.configuration = configuration
        self.diskGuard = diskGuard
        self.isCatalogueReady = isCatalogueReady
        self.clock = clock
        started = clock.steady()
        self.logger = logger
        self.databaseTime = databaseTime
        archive = ArchiveCheck(catalogue: catalogue, store: store, clock: clock, logger: logger)
    }

    /// Runs until cancelled; segments expire once the catalogue is ready.
    ///
    /// A failed round is logged, and the next one tries again.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while !isCatalogueReady(), !Task.isCancelled {
                    try? await clock.sleep(for: Limits.readinessPause)
                }
                await clock.every(
                    .seconds(Limits.roundSeconds), { await expireByRetention() }, onError: report)
            }
            group.addTask {
                await clock.every(
                    .seconds(Limits.pressureSeconds), { try await keepSpaceFree() }, onError: report)
            }
            group.addTask {
                // What fails here fails in the rounds, too, which report it.
                await clock.every(
                    .seconds(Limits.effectSeconds), { try await watchSpace() }, onError: { _ in })
            }
        }
    }

    private func report(_ error: any Error) {
        logger.warning("A round of retention failed", metadata: ["error": "\(error)"])
    }

    /// Runs one round: applies retention and size limits to each channel, deletes files whose grace period is
    /// over and tokens that expired long ago, and removes what is left empty.
    ///
    /// A step that fails is logged and does not keep the others from running.
    func expireByRetention() async {
        var now: Instant?
        var ahead: Int64?
        await step("the clocks") { (now, ahead) = try await timeForAges() }
        await step("channels") { try await expireChannels(at: now) }
        await step("formats") {
            try await catalogue.expireFormats(graceSeconds: configuration.graceSeconds)
        }
        let isBacklogInCatalogue = backlog.isBacklogInCatalogue(
            at: clock.steady(), isReachable: ahead != nil)
        if let ahead {
            await step("files of hours") { try await deletePendingHours(ahead: ahead) }
            if isBacklogInCatalogue {
                await step("initialization sections and keys") {
                    try await deletePendingObjects(ahead: ahead)
                }
            }
            await step("identities") { try await catalogue.pruneIdentities(ahead: ahead) }
        }
        await step("source runs") { try await catalogue.pruneSourceRuns() }
        await step("nodes") { try await catalogue.pruneNodes() }
        if let now { await step("tokens") { try await catalogue.pruneTokens(before: now) } }
        await step("empty days") { try await dropEmptyDays(before: now) }
        await step("closed quarters") { try await catalogue.packQuarters(at: clock.now()) }
    }

    private func step(_ name: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            if Task.isCancelled { return }
            logger.warning(
                "A step of retention failed", metadata: ["step": "\(name)", "error": "\(error)"])
        }
    }

    private func expireChannels(at now: Instant?) async throws {
        let oldest = try await catalogue.oldest()
        for channel in try await catalogue.everyChannel() {
            do {
                try await expireByRetention(channel, at: now, oldest: oldest[channel.row])
            } catch {
                if Task.isCancelled { return }
                logger.warning(
                    "Cannot apply the retention of a channel",
                    metadata: ["channel": "\(channel.id)", "error": "\(error)"])
            }
        }
    }

    private func dropEmptyDays(before now: Instant?) async throws {
        guard let now else { return }
        for day in try await catalogue.dropEmptyDays(before: now, after: max(now, clock.now())) {
            logger.info("Dropped the partition of an empty day", metadata: ["partition": "\(day)"])
        }
    }

    /// The time from which this round measures ages, and how far the database's clock is ahead of it,
    /// microseconds.
    ///
    /// The time is nil while it is not known, and nothing expires by age; the database's clock is then
    /// compared with the host's, so that space is freed all the same.
    private func timeForAges() async throws -> (now: Instant?, ahead: Int64) {
        let wasHeldBack = isHeldBack
        let database = try await databaseTime()
        let (host, steady) = (clock.now(), clock.steady())
        let start = min(host, database) - (steady - started).wholeMicroseconds
        let now = ages.read(
            host: host, database: database, steady: steady,
            recorded: ages.isKnown ? .unknown : try await catalogue.recorded(before: start))
        if isHeldBack, !wasHeldBack {
            logHold(isAtStart: now != nil && !ages.isTrusted)
        } else if wasHeldBack, !isHeldBack {
            logger.notice("Retention goes by the clock again")
        }
        return (now, max(0, database - (now ?? min(host, database))))
    }

    private func logHold(isAtStart: Bool) {
        let metadata: Logger.Metadata = ["seconds": "\(Int(ages.heldBackSeconds))"]
        if isAtStart {
            logger.notice(
                "Retention holds back until the clocks have run evenly: nothing was recorded lately",
                metadata: metadata)
        } else {
            logger.warning(
                "Retention holds back: a clock has jumped, or the clocks of host and database differ",
                metadata: metadata)
        }
    }

    private var isHeldBack: Bool { ages.heldBackSeconds > 0 }

    private func expireByRetention(
        _ channel: Channel, at now: Instant?, oldest: OldestOfChannel?
    ) async throws {
        guard let cut = try await cut(of: channel, at: now, oldest: oldest) else { return }
        let count = try await catalogue.expire(
            channel, before: cut, graceSeconds: configuration.graceSeconds)
        if count > 0 {
            logger.debug(
                "Segments expired", metadata: ["channel": "\(channel.id)", "segments": "\(count)"])
        }
    }

    /// The instant before which a channel keeps nothing after this round; nil if nothing expires.
    private func cut(of channel: Channel, at now: Instant?, oldest: OldestOfChannel?) async throws -> Instant?
    {
        let byAge = now.flatMap { cutByAge(of: channel, at: $0, oldest: oldest) }
        guard let limit = channel.settings.maxBytes else { return byAge }
        let bySize = try await catalogue.cut(of: channel.row, keepingBytes: limit)
        return [byAge, bySize].compactMap { $0 }.max()
    }

    /// The instant before which recordings expire by age; nil if nothing expires now.
    ///
    /// Nil also until a step has passed since the last cut: each expiry takes a dozen statements.
    private func cutByAge(of channel: Channel, at now: Instant, oldest: OldestOfChannel?) -> Instant? {
        guard let seconds = channel.settings.retentionSeconds else { return nil }
        let cut = now - seconds * Microseconds.perSecond
        let quarter = oldest?.quarter
        let step = min(Limits.longestStep, seconds * Microseconds.perSecond / Limits.retentionShare)
        if let oldest, cut < oldest.cut + (quarter == nil ? Limits.emptyStep : step) { return nil }
        guard let quarter else { return cut }
        return quarter < cut ? min(cut, quarter + Limits.agedPerRound) : nil
    }

    /// Deletes the files of hours whose grace period is over.
    ///
    /// An hour that cannot be deleted is postponed, so that it does not block the others; so is one without
    /// files in an archive that lacks others, too.
    @discardableResult
    func deletePendingHours(ahead: Int64 = 0) async throws -> DeletionStep {
        var step = DeletionStep()
        for hour in try await catalogue.pendingDeletionHours(limit: Limits.hoursPerRound, ahead: ahead) {
            do {
                if let deleted = try await delete(hour) {
                    step.doneHours += 1
                    if deleted.files > 0 { step.freed.insert(hour.channel) }
                    step.deleted.files += deleted.files
                    step.deleted.bytes += deleted.bytes
                } else {
                    try await catalogue.postpone(hour, seconds: Limits.postponedSeconds)
                }
            } catch {
                guard error is StoreError else { throw error }
                logger.warning(
                    "Cannot delete the files of an hour",
                    metadata: [
                        "channel": "\(hour.channel)", "rendition": "\(hour.rendition)",
                        "hour": "\(hour.hour.rfc3339)", "error": "\(error)",
                    ])
                try await catalogue.postpone(hour, seconds: Limits.postponedSeconds)
                step.failed.insert(hour.channel)
            }
        }
        return step
    }

    /// - Returns: nil if the hour is not done
    private func delete(_ hour: PendingDeletionHour) async throws -> Deleted? {
        let deleted = try await store.deleteHour(
            channel: hour.channel, rendition: hour.rendition, hour: hour.hour,
            before: hour.before, keeping: try await catalogue.names(in: hour))
        if deleted.files == 0, try await archive.isMissing() { return nil }
        try await catalogue.completeDeletion(hour)
        logger.debug(
            "Deleted the files of an hour",
            metadata: [
                "channel": "\(hour.channel)", "files": "\(deleted.files)", "bytes": "\(deleted.bytes)",
            ])
        return deleted
    }

    /// Deletes initialization sections and keys whose grace period is over, until none is left or a round's
    /// share is done.
    ///
    /// One that cannot be deleted is postponed, so that it does not block the others.
    private func deletePendingObjects(ahead: Int64) async throws {
        var failures = 0
        for _ in 0..<Limits.objectBatches {
            let objects = try await catalogue.pendingDeletionObjects(
                limit: Limits.objectsPerStatement, ahead: ahead)
            if objects.isEmpty { break }
            for object in objects {
                do {
                    for key in object.keys { try await store.delete(key) }
                    try await catalogue.completeDeletion(object)
                } catch {
                    guard error is StoreError else { throw error }
                    try await catalogue.postpone(object, seconds: Limits.postponedSeconds)
                    failures += 1
                    if failures == 1 {
                        logger.warning(
                            "Cannot delete an initialization section or key", metadata: ["error": "\(error)"]
                        )
                    }
                }
            }
        }
        if failures > 1 {
            logger.warning(
                "Initialization sections and keys could not be deleted",
                metadata: ["objects": "\(failures)"])
        }
    }
}
