import Concurrency
import Catalogue
import Journal
package import Logging
import Monitoring
import Timeline

/// Records every channel that is meant to be recorded and that no other node holds.
package struct RecorderService: Sendable {
    private let node: String
    private let heartbeat = Heartbeat()
    private let starts = AsyncSemaphore(permits: Limits.parallelStarts)
    private let unfinished = UnfinishedSegments()
    private let dependencies: RecorderDependencies
    private let logger: Logger

    /// Prepares a recorder.
    ///
    /// `node` is a UUID that stays the same over restarts, so that a node takes back its own channels at
    /// once.
    package init(node: String, dependencies: RecorderDependencies, logger: Logger) {
        self.node = node
        self.dependencies = dependencies
        self.logger = logger
    }

    /// Records until cancelled; then lets downloads in flight finish and enters them.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await supervise() }
            for work in [beat, prepareDays, repairLostFacts, reportStatuses] {
                group.addTask {
                    await dependencies.catalogueReady()
                    await work()
                }
            }
        }
    }

    @Sendable private func beat() async {
        while !Task.isCancelled {
            do {
                try await dependencies.heartbeats.heartbeat(
                    node: node, seconds: Int(Limits.lease.components.seconds))
                heartbeat.beat(at: dependencies.clock.steady())
            } catch {
                logger.warning("The heartbeat failed", metadata: ["error": "\(error)"])
            }
            try? await dependencies.clock.sleep(for: Limits.heartbeat)
        }
    }

    @Sendable private func prepareDays() async {
        while !Task.isCancelled {
            do {
                try await dependencies.catalogue.prepareDays(around: dependencies.clock.now())
                try? await dependencies.clock.sleep(for: Limits.partitionInterval)
            } catch {
                logger.warning("Partitions could not be created", metadata: ["error": "\(error)"])
                try? await dependencies.clock.sleep(for: Limits.partitionRetry)
            }
        }
    }

    /// Reports the status of each channel to the other nodes.
    @Sendable private func reportStatuses() async {
        var complaint: String?
        while !Task.isCancelled {
            do {
                try await dependencies.catalogue.report(dependencies.board.all, node: node)
                complaint = nil
            } catch {
                complaint = warn("Statuses were not reported", error, after: complaint)
            }
            try? await dependencies.clock.sleep(for: Limits.reportInterval)
        }
    }

    @Sendable private func repairLostFacts() async {
        var search = LostFactSearch(dependencies: dependencies, logger: logger)
        while !Task.isCancelled {
            await search.round()
            try? await dependencies.clock.sleep(for: Limits.lostFactInterval)
        }
    }

    /// Starts, restarts and stops channels as their settings say.
    private func supervise() async {
        var supervisor = ChannelSupervisor<RecordingBasis>()
        var complaint: String?
        await dependencies.catalogueReady(until: dependencies.clock.steady() + Limits.catalogueWait)
        while !Task.isCancelled {
            complaint = await reconcile(&supervisor, after: complaint)
            try? await dependencies.clock.sleep(for: Limits.supervisionInterval)
        }
        await supervisor.stop()
    }

    /// Does one round; an error is logged unless the round before had the same one.
    ///
    /// - Returns: the error in words; nil if there was none
    func reconcile(_ supervisor: inout ChannelSupervisor<RecordingBasis>, after complaint: String?) async
        -> String?
    {
        do {
            guard dependencies.isCatalogueReady() else { throw CatalogueError.notInTime }
            for channel in try await dependencies.catalogue.everyChannel() {
                supervisor.reconcile(channel.row, basis: RecordingBasis(channel)) { await work(on: channel) }
            }
            return nil
        } catch {
            if supervisor.isIdle { await resumeChannels(&supervisor) }
            return warn("Channels could not be read; those that are recorded go on", error, after: complaint)
        }
    }

    /// Logs why a loop failed, unless the round before failed for the same reason.
    ///
    /// - Returns: the error in words
    private func warn(_ text: Logger.Message, _ error: any Error, after complaint: String?) -> String {
        let message = "\(error)"
        if message != complaint, !Task.isCancelled { logger.warning(text, metadata: ["error": "\(message)"]) }
        return message
    }

    /// A start without the catalogue: the channels that this node owned go on.
    private func resumeChannels(_ supervisor: inout ChannelSupervisor<RecordingBasis>) async {
        do {
            for point in try await dependencies.journal.resumePoints() {
                let channel = point.channel
                supervisor.reconcile(channel.row, basis: RecordingBasis(channel)) { await work(on: channel) }
            }
        } catch {
            logger.warning("Resume points cannot be read", metadata: ["error": "\(error)"])
        }
    }

    private func work(on channel: Channel) async {
        var logger = logger
        logger[metadataKey: "channel"] = "\(channel.id)"
        if channel.settings.recording && !channel.isDeleted {
            await ChannelTask(
                channel: channel, node: node, heartbeat: heartbeat, starts: starts, unfinished: unfinished,
                dependencies: dependencies, logger: logger
            ).run()
        } else {
            await retire(channel, logger)
        }
    }

    /// When an instant was, by the clock that recording goes by.
    private func date(of instant: SteadyInstant) async throws -> Instant {
        let database = try await dependencies.catalogue.databaseTime()
        return RecordingClock(Moment(dependencies.clock), databaseDate: database).date(at: instant)
    }

    /// The channel is not meant to be recorded any more: its recording ends, and the archive gets what the
    /// journal has.
    private func retire(_ channel: Channel, _ logger: Logger) async {
        let end = dependencies.clock.steady()
        let journal = UnownedJournal(channel: channel, dependencies: dependencies)
        while !Task.isCancelled {
            do {
                try await dependencies.journal.channel(channel.id).removeResumePoint()
                try await dependencies.catalogue.endRecording(channel: channel.row, at: date(of: end))
                while try await journal.enterBatch() == nil {
                    try await dependencies.clock.sleep(for: Limits.unownedJournalPace)
                }
                // Nothing else is left in the journal.
                while channel.isDeleted, try await journal.giveUpKeys() {
                    try await dependencies.clock.sleep(for: Limits.unownedJournalPace)
                }
                return
            } catch {
                if Task.isCancelled { return }
                logger.warning(
                    "The end of a recording could not be entered", metadata: ["error": "\(error)"])
                try? await dependencies.clock.sleep(for: Limits.longestRestart)
            }
        }
    }
}
