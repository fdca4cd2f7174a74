import Concurrency

/// The order in which segments are fetched: as they play, from where the player is.
extension TaskRunner {
    /// Fetches segments, and those that a live presentation lists meanwhile.
    ///
    /// The first that cannot be fetched ends the others.
    func fetchSegments(_ indices: [PartIndex]) async throws(DownloadError) {
        guard !indices.isEmpty else { return }
        waitingParts = indices[...]
        let (urgent, continuation) = AsyncStream<PartIndex>.makeStream()
        urgentParts = continuation
        defer {
            urgentParts = nil
            waitingParts = []
        }
        // A list that becomes longer may give all transfers something to do.
        let count = min(max(tools.options.parallel, 1), isLive ? .max : indices.count)
        do {
            // Cancelled when all are there.
            async let _: Void = readOn()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.fetchUrgent(urgent) }
                group.addTask {
                    defer { continuation.finish() }
                    try await self.fetchAll(count)
                }
                try await group.waitForAll()
            }
        } catch let error as DownloadError {
            throw error
        } catch {
            throw .cancelled
        }
    }

    /// Fetches the first segments alone, since a player begins with them, and then with all transfers.
    private func fetchAll(_ all: Int) async throws {
        let alone = min(plans.count, all)
        let (begun, first) = AsyncStream<Void>.makeStream()
        try await withThrowingTaskGroup(of: Void.self) { workers in
            for _ in 0..<alone {
                workers.addTask {
                    defer { first.finish() }
                    try await self.fetchInOrder(first)
                }
            }
            await Self.wait(for: begun, by: tools.clock)
            for _ in alone..<all { workers.addTask { try await self.fetchInOrder(first) } }
            try await workers.waitForAll()
        }
    }

    /// Waits for the end of a stream, but not long.
    private static func wait(for stream: AsyncStream<Void>, by clock: HostClock) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in stream {} }
            group.addTask { try? await clock.sleep(for: Limits.firstSegmentsTimeout) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Fetches one segment after the other; `first` is finished by the first that is there.
    private func fetchInOrder(_ first: AsyncStream<Void>.Continuation) async throws {
        while await hasMore() {
            if Task.isCancelled { throw DownloadError.cancelled }
            let isThere: Bool? = try await tools.gate.inTurn { () async throws(DownloadError) -> Bool in
                guard let index = nextPart() else { return true }
                if try await fetchSegment(index) { return true }
                putBack(index)
                return false
            }
            guard isThere != false else { continue }
            first.finish()
            // A player that waits needs the processor as well.
            if await tools.gate.pass(nil) { await makePicture() }
        }
    }

    /// Whether a segment waits.
    ///
    /// While others are being fetched, it waits for the list to grow.
    private func hasMore() async -> Bool {
        while waitingParts.isEmpty {
            guard underWay > 0, isLive, !hasReachedLimit, !Task.isCancelled else { return false }
            let (changes, change) = AsyncStream<Void>.makeStream()
            idle.append(change)
            for await _ in changes {}
        }
        return true
    }

    /// Wakes idle transfers, so that they check for new work.
    func wakeIdle() {
        for change in idle { change.finish() }
        idle = []
    }

    /// Fetches what a player waits for, at once and beside the others.
    private nonisolated func fetchUrgent(_ indices: AsyncStream<PartIndex>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for await index in indices {
                group.addTask {
                    // Without its player, the segment is stopped for others again.
                    while try await !self.fetchSegment(index) { _ = await self.tools.gate.pass(nil) }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The next segment: the first one that plays after what the player has asked for last, else the first.
    private func nextPart() -> PartIndex? {
        guard let first = waitingParts.first else { return nil }
        guard position(first) < playingPosition else { return waitingParts.popFirst() }
        let index = firstWaiting { position($0) >= playingPosition }
        return index < waitingParts.endIndex ? waitingParts.remove(at: index) : waitingParts.popFirst()
    }

    /// Queues a segment, in playing order.
    func putBack(_ index: PartIndex) {
        let next = firstWaiting { (position($0), $0.plan) > (position(index), index.plan) }
        waitingParts.insert(index, at: next)
        wakeIdle()
    }

    /// The index of the first waiting segment for which `isLate` is true, by binary search.
    private func firstWaiting(where isLate: (PartIndex) -> Bool) -> Int {
        var (low, high) = (waitingParts.startIndex, waitingParts.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isLate(waitingParts[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
