import Catalogue
import Concurrency
import Logging
import SegmentStore
import Timeline

extension RetentionService {
    /// Frees space if less than the floor is free.
    ///
    /// First the grace period of pending deletions ends early. Then the oldest segments of all channels
    /// expire. If none are left, recording stops until there is space again.
    ///
    /// Nothing expires that would free no space: where the floor is larger than the disk, or the archive
    /// lacks its files. A round deletes no more than is short at its begin, and little while what was deleted
    /// does not become free. A channel whose files cannot be deleted is passed over for a while.
    ///
    /// Recording also stops if less than half of the floor is free while the catalogue is unavailable, freed
    /// space is waited for, a round has taken all its steps, or files cannot be deleted: PostgreSQL needs
    /// space to recover.
    func keepSpaceFree() async throws {
        do {
            try await freeSpace()
        } catch {
            if let space = try await store.space() { stopRecordingBelowHalfFloor(space, Self.diskIsFull) }
            throw error
        }
    }

    /// Looks whether space becomes free while that is waited for, and else how fast it is used.
    func watchSpace() async throws {
        guard let space = try await store.space() else { return }
        effect.look(
            space, isShort: !shortage(of: space).isNone, isRecording: !diskGuard.isFull, at: clock.steady())
    }

    private func freeSpace() async throws {
        try await watchSpace()
        var wanted: Shortage?
        for _ in 0..<Limits.stepsUnderPressure {
            guard let space = try await store.space(), !shortage(of: space).isNone else {
                return setFull(nil)
            }
            guard isCatalogueReady() else { throw CatalogueError.notInTime }
            if configuration.floor.bytes(of: space) >= space.totalBytes {
                return setFull("the space that must stay free exceeds the archive's disk")
            }
            if try await archive.isMissing() {
                return setFull("the archive lacks most files: is its disk mounted?")
            }
            let rest = wanted ?? shortage(of: space) - effect.unseen
            guard !rest.isNone, let deleted = try await freeSome(of: space) else { return wait(with: space) }
            wanted = rest - deleted
        }
        // The next round goes on deleting.
        guard let space = try await store.space() else { return }
        if shortage(of: space).isNone {
            setFull(nil)
        } else {
            stopRecordingBelowHalfFloor(space, Self.diskIsFull)
        }
    }

    /// Deletes hours that wait for their deletion, or what expires of the oldest quarter of an hour.
    ///
    /// - Returns: nil if nothing can be deleted, or is to be for now
    private func freeSome(of space: StorageSpace) async throws -> Deleted? {
        let bytes = configuration.floor.bytes(of: space) / Limits.unconfirmedShare
        let began = clock.steady()
        if effect.allowsPending(bytes: bytes, at: began),
            try await catalogue.expediteDeletions(limit: Limits.hoursExpedited) > 0
        {
            let step = try await deletePending(of: space, expired: nil, began: began)
            if step.doneHours > 0 { return step.deleted }
        }
        guard effect.allowsStep(bytes: bytes, at: clock.steady()) else { return nil }
        guard let oldest = try await oldestQuarter() else {
            if effect.failureCause == nil, effect.stuck(at: clock.steady()).isEmpty {
                setFull(Self.diskIsFull)
            }
            return nil
        }
        logger.warning(
            "The disk is nearly full: expiring the oldest segments",
            metadata: ["channel": "\(oldest.channel)", "before": "\(oldest.end.rfc3339)"])
        try await catalogue.expire(oldest.channel, row: oldest.row, before: oldest.end, graceSeconds: 0)
        return try await deletePending(of: space, expired: oldest.channel, began: began).deleted
    }

    /// The oldest quarter of a channel whose files can be deleted; if there is none, from time to time that
    /// of another.
    private func oldestQuarter() async throws -> OldestQuarter? {
        let stuck = effect.stuck(at: clock.steady())
        if let oldest = try await catalogue.oldestQuarter(finishedBy: clock.now(), passingOver: stuck) {
            return oldest
        }
        guard !stuck.isEmpty, effect.allowsStuck(at: clock.steady()) else { return nil }
        return try await catalogue.oldestQuarter(finishedBy: clock.now())
    }

    private func deletePending(
        of space: StorageSpace, expired channel: ChannelID?, began: SteadyInstant,
    ) async throws -> DeletionStep {
        let step = try await deletePendingHours()
        if let after = try await store.space() {
            effect.enter(
                step, shortage: shortage(of: space), from: space, to: after, expired: channel,
                began: began, at: clock.steady())
        }
        return step
    }

    /// What is missing to the floor: bytes, or files, of which small segments need as many as large ones.
    private func shortage(of space: StorageSpace, share: Int64 = 1) -> Shortage {
        Shortage(
            bytes: max(0, configuration.floor.bytes(of: space) / share - space.availableBytes),
            files: space.availableFiles.map { max(0, Limits.fileFloor / share - $0) } ?? 0)
    }

    /// Nothing more is deleted in this round.
    private func wait(with space: StorageSpace) {
        switch effect.failureCause {
        case .withoutEffect?: setFull(DeletionEffect.FailureCause.withoutEffect.rawValue)
        case let failureCause: stopRecordingBelowHalfFloor(space, failureCause?.rawValue ?? Self.diskIsFull)
        }
    }

    private func stopRecordingBelowHalfFloor(_ space: StorageSpace, _ reason: String) {
        if !diskGuard.isFull, !shortage(of: space, share: 2).isNone { setFull(reason) }
    }

    private static let diskIsFull = "the disk is full"

    /// Sets why recording stops; nil lets it continue.
    private func setFull(_ reason: String?) {
        let former = diskGuard.set(reason)
        if let reason, reason != former {
            logger.error("Recording stops", metadata: ["error": "\(reason)"])
        } else if reason == nil, former != nil {
            logger.notice("Recording continues: the disk has space again")
        }
    }
}
