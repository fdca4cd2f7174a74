import Postgres
import Timeline

extension Catalogue {
    /// Commits a batch in one transaction.
    ///
    /// The channel's row in `line` is locked first, so segments are committed in the order of their numbers.
    /// `intake` decides which segments are new, so a batch can be repeated if the result of its commit was
    /// lost.
    ///
    /// If the database refuses a value in it, nothing is committed, and `CatalogueError.factsRefused` says
    /// which facts have to be left out.
    ///
    /// - Returns: whether the lease was still held; if not, the segments are stored without numbers
    package func commit(_ batch: Batch) async throws(CatalogueError) -> Bool {
        do throws(CatalogueError) {
            return try await mappingErrors { try await write(batch) }
        } catch .database(let error) where error.refusesValues {
            let refused = try await mappingErrors { try await refusedFacts(of: batch) }
            guard let refused else { throw .database(error) }
            throw .factsRefused(refused, error)
        }
    }

    /// Commits batches of several channels, at most one of each, in one transaction.
    ///
    /// A channel whose row another transaction has locked is left out, so that it does not hold up the
    /// others. So are channels that have no row, those whose partitions cannot be made now, and those of
    /// which the database refuses a value: groups are halved until what is refused stands alone.
    ///
    /// - Returns: for each channel that is not left out, whether the lease was still held; the others have to
    ///   be committed each by itself
    package func commit(_ batches: [Batch]) async throws(CatalogueError) -> [Int32: Bool] {
        guard !batches.isEmpty else { return [:] }
        do throws(CatalogueError) {
            return try await mappingErrors {
                try await write(prepared(batches).sorted { $0.channel < $1.channel }, skippingLocked: true)
            }
        } catch .database(let error) where error.isLockNotAvailable && batches.count > 1 {
            // Another process drops the partition of one of them: each waits by itself.
            return [:]
        } catch .database(let error) where error.refusesValues {
            guard batches.count > 1 else { return [:] }
            let middle = batches.count / 2
            let lower = try await commit(Array(batches[..<middle]))
            return lower.merging(try await commit(Array(batches[middle...]))) { first, _ in first }
        }
    }

    /// Writes a batch in one transaction, which is rolled back if it is for a trial only.
    func write(_ batch: Batch, asTrial isTrial: Bool = false) async throws -> Bool {
        let held = try await write([batch], skippingLocked: false, asTrial: isTrial)
        guard let isHeld = held[batch.channel] else {
            throw CatalogueError.unreadable("channel \(batch.channel) has no published head")
        }
        return isHeld
    }

    /// Batches whose partitions are there; all of them, if those that are missing can be made.
    private func prepared(_ batches: [Batch]) async throws -> [Batch] {
        do {
            try await ensureDays(of: batches.flatMap(\.starts))
            return batches
        } catch let error as PostgresError where error.isLockNotAvailable {
            return batches.filter { areDaysKnown(of: $0.starts) }
        }
    }

    private func write(
        _ batches: [Batch], skippingLocked: Bool, asTrial isTrial: Bool = false,
    ) async throws -> [Int32: Bool] {
        guard !batches.isEmpty else { return [:] }
        let written = try await withDays(of: batches.flatMap(\.starts)) {
            try await pool.transaction { transaction in
                let written = try await GroupWriter(
                    batches: batches, skipsLocked: skippingLocked, transaction: transaction
                ).run()
                if isTrial { throw TrialPassed() }
                return written
            }
        }
        packing.add(written.touched)
        return written.held
    }
}

/// Ends a transaction that was a trial.
struct TrialPassed: Error {}

/// Writes what one channel's batch has besides segments; `GroupWriter` writes those of all channels at once.
struct BatchWriter {
    var batch: Batch
    let transaction: PostgresTransaction

    /// Writes what segments refer to, losses, markers and identities.
    ///
    /// Most batches have segments only.
    mutating func enterOtherFacts(_ moved: MovedHead) async throws {
        let ahead = moved.reanchor.map { removePreviousTimeline(of: $0, now: moved.now) } ?? []
        if !batch.isOnlySegments || !ahead.isEmpty {
            try await describeRenditions(held: moved.held)
            let renditions = try await renditionRows()
            try await enterSetAside(ahead, moved)
            try await enterSourceRuns()
            if moved.held { try await enterDiscontinuityStarts() }
            try await enterLosses(renditions, expiredBefore: moved.expiredBefore)
            try await markListed(renditions)
            try await markKeyPending(renditions)
            try await markLost(renditions)
            try await enterMarkers(shown: moved.end, expiredBefore: moved.expiredBefore)
        }
    }
}

extension Batch {
    fileprivate var starts: [Instant] { segments.map(\.fact.start) }

    fileprivate var isOnlySegments: Bool {
        factCount == segments.count && segments.allSatisfy { $0.fact.replaces == nil }
    }
}
