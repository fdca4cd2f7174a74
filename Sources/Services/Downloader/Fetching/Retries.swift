import Concurrency

/// Callbacks for the state of a task's connections.
struct NetworkWatch: Sendable {
    var lost: @Sendable () async -> Void
    var returned: @Sendable () async -> Void
    /// The number of received bytes; negative when received bytes are dropped.
    var received: @Sendable (Int64) async -> Void
}

/// Makes requests again as `RetryPlan` says.
struct Retries: Sendable {
    let clock: HostClock
    /// How long there may be no network.
    var networkTimeout: Duration
    let network: NetworkWatch

    func received(_ byteCount: Int64) async {
        if byteCount != 0 { await network.received(byteCount) }
    }

    /// Runs attempts until one succeeds.
    ///
    /// `renew` gets the number of the reading whose address was refused. It reads the playlists again unless
    /// they were read since then. Without a connection, this does not wait for what `isDropped` names.
    nonisolated(nonsending) func run<Value>(
        _ name: String, renew: @Sendable (Int) async throws(DownloadError) -> Void = { _ in },
        isDropped: @Sendable () async -> Bool = { false },
        _ attempt: (inout RetryPlan) async throws(AttemptFailure) -> Value,
    ) async throws(DownloadError) -> Value {
        var plan = RetryPlan(name: name)
        var lostSince: SteadyInstant?
        while true {
            if Task.isCancelled { throw .cancelled }
            let failure: AttemptFailure
            do throws(AttemptFailure) {
                return try await attempt(&plan)
            } catch {
                failure = error
            }
            let now = clock.steady()
            lostSince = failure.isConnection ? lostSince ?? now : nil
            switch plan.step(after: failure) {
            case .giveUp(let error): throw error
            case .renew: try await renew(plan.readingNumber)
            case .pause(let pause): try await sleep(pause)
            case .waitForNetwork:
                if let lostSince, now - lostSince > networkTimeout { throw noNetwork(name) }
                if await isDropped() { throw noNetwork(name) }
                await network.lost()
                try await sleep(Limits.networkPause)
            }
        }
    }

    func noNetwork(_ name: String) -> DownloadError {
        .noNetwork("\(name): no connection for \(networkTimeout.components.seconds) s")
    }

    private func sleep(_ duration: Duration) async throws(DownloadError) {
        do {
            try await clock.sleep(for: duration)
        } catch {
            throw .cancelled
        }
    }
}
