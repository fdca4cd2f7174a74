/// The order in which segments are fetched: as they play, from where the player is.
extension TaskRunner {
    /// Fetches segments; the first that cannot be had ends the others.
    func fetchSegments(_ places: [Place]) async throws(DownloadError) {
        waitingPlaces = places[...]
        let (urgent, continuation) = AsyncStream<Place>.makeStream()
        urgentPlaces = continuation
        defer {
            urgentPlaces = nil
            waitingPlaces = []
        }
        let once = min(max(tools.options.parallel, 1), places.count)
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await self.fetchUrgent(urgent) }
                group.addTask {
                    defer { continuation.finish() }
                    try await withThrowingTaskGroup(of: Void.self) { workers in
                        for _ in 0..<once { workers.addTask { try await self.fetchInOrder() } }
                        try await workers.waitForAll()
                    }
                }
                try await group.waitForAll()
            }
        } catch let error as DownloadError {
            throw error
        } catch {
            throw .cancelled
        }
    }

    private func fetchInOrder() async throws {
        while let place = nextPlace() {
            if Task.isCancelled { throw DownloadError.cancelled }
            try await fetchSegment(place)
            // A player that waits needs the processor as well.
            if await tools.gate.pass(nil) { await makePicture() }
        }
    }

    /// Fetches what a player waits for, at once and beside the others.
    private nonisolated func fetchUrgent(_ places: AsyncStream<Place>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for await place in places { group.addTask { try await self.fetchSegment(place) } }
            try await group.waitForAll()
        }
    }

    /// The next segment: the first one that plays after what the player has asked for last, else the first.
    private func nextPlace() -> Place? {
        guard let first = waitingPlaces.first else { return nil }
        guard position(first) < playingPosition else { return waitingPlaces.popFirst() }
        var (low, high) = (waitingPlaces.startIndex, waitingPlaces.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if position(waitingPlaces[middle]) < playingPosition { low = middle + 1 } else { high = middle }
        }
        return low < waitingPlaces.endIndex ? waitingPlaces.remove(at: low) : waitingPlaces.popFirst()
    }
}
