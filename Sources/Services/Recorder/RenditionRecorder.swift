import Concurrency
import HLS
import HTTP
import HTTPClient
import Journal
import Logging
import Timeline

/// Polls one media playlist and sends its new segments to be fetched, until its task is cancelled.
struct RenditionRecorder: Sendable {
    /// Why polling ended.
    enum Ending: Sendable, Equatable {
        case cancelled
        /// The source is not what it was: its first playlist must be read again.
        case needsReload(String)
        /// Nothing new for long: another source may do better.
        case barren
    }

    let recorder: ChannelRecorder
    let session: SourceSession
    let fetcher: SegmentFetcher
    let fetching: ChannelFetching
    /// Whether to give up on a source that brings nothing, because there is another one.
    let hasAlternative: Bool

    private var id: RenditionID { fetcher.rendition }
    private var clock: HostClock { fetcher.clock }

    func run(first: FetchedPlaylist?) async -> Ending {
        var pending = first
        var polling = Polling(now: clock.steady(), chance: recorder.parts.chance())
        while !Task.isCancelled {
            let begun = clock.steady()
            do {
                let fetched = try await next(&pending, fresh: polling.failures > 0)
                guard case .media(let list) = fetched.playlist else {
                    return .needsReload("a multivariant playlist stands where a media playlist was")
                }
                guard list.skip == nil else {
                    throw PlaylistFailure(
                        description: "the list leaves out what nobody asked it to (EXT-X-SKIP)")
                }
                let isNews = try await take(list, fetched)
                polling.loaded(list, changed: isNews, begun: begun, now: clock.steady())
                await recorder.recovered(id)
            } catch {
                polling.failed()
                if !Task.isCancelled, let ending = await failed(error, polling) { return ending }
            }
            if await condition(of: polling) == .barren {
                if hasAlternative { return .barren }
                guard await session.renew() else { return .needsReload("the source brings nothing") }
            }
            await rest(polling, since: begun)
        }
        return .cancelled
    }

    /// That of the source as a whole.
    private func condition(of polling: Polling) async -> SourceCondition {
        await session.report(id, polling.condition(now: clock.steady()), patience: polling.patience)
    }

    private func rest(_ polling: Polling, since begun: ContinuousClock.Instant) async {
        let pause = polling.leanedPause(chance: recorder.parts.chance())
        let next = max(begun + .microseconds(pause), clock.steady() + .milliseconds(100))
        try? await Task.sleep(for: next - clock.steady())
    }

    private func next(_ pending: inout FetchedPlaylist?, fresh: Bool) async throws -> FetchedPlaylist {
        if let first = pending {
            pending = nil
            return first
        }
        return try await session.playlist(of: id, fresh: fresh)
    }

    /// Tells the recorder what is wrong; an ending when polling on makes no sense.
    private func failed(_ error: any Error, _ polling: Polling) async -> Ending? {
        let failure = error as? PlaylistFailure ?? PlaylistFailure(description: "\(error)")
        if await condition(of: polling) > .well {
            await recorder.inTrouble(.sourceUnreachable, failure.description)
        } else if polling.failures >= 2 {
            await recorder.ails(id, failure.description)
        }
        // Where the configured URL led to may be gone for good, whatever it answers: the URL may lead elsewhere by now.
        guard failure.needsReload || polling.failures >= 2, await !session.renew() else { return nil }
        return .needsReload(failure.description)
    }
}

/// From a list to the downloads that it leads to.
extension RenditionRecorder {
    /// - Returns: whether the list brought anything
    private func take(_ list: MediaPlaylist, _ fetched: FetchedPlaylist) async throws -> Bool {
        var outcome = await recorder.listArrived(list, of: id, arrival: fetched.arrival)
        if let probe = outcome.probe {
            let digest = try await digest(of: probe, base: fetched.base)
            outcome = await recorder.probed(digest, probe, list, arrival: fetched.arrival)
        }
        for segment in outcome.segments { await fetch(segment, base: fetched.base) }
        return outcome.changed
    }

    /// The digest of a segment in question, nil when that takes a key that is missing; an empty one after three failures,
    /// which counts as another segment: a source that lists what it does not hold must not keep the channel from
    /// recording.
    private func digest(of probe: ListedSegment, base: HTTPURL) async throws -> [UInt8]? {
        for attempt in 1...3 {
            do {
                return try await fetcher.probe(probe, base: base, domain: probe.domain)
            } catch {
                if attempt < 3 { try await Task.sleep(for: .milliseconds(500)) }
            }
        }
        return []
    }

    private func fetch(_ segment: ListedSegment, base: HTTPURL) async {
        let damage = LastDamage()
        let taken = await fetching.pools.pool(of: id).add { [self] attempt in
            let outcome = await fetcher.store(segment, base: base, attempt: attempt, damage: damage)
            await session.tried(id, succeeded: outcome.isHad)
            if case .again(let pause) = outcome { return pause }
            do {
                try await enter(outcome, of: segment)
                return nil
            } catch {
                return await notEntered(segment, error)
            }
        }
        if !taken {
            await recorder.failed(
                segment, FetchFailure(.segmentExpired, "too many segments wait to be fetched"))
        }
    }

    /// The bytes are durable and the journal could not take the fact.
    ///
    /// - Returns: after what pause the segment is tried for once more, which finds the same bytes under their name
    private func notEntered(_ segment: ListedSegment, _ error: any Error) async -> Duration? {
        if let pause = Self.pause(after: error, until: segment.availableUntil, now: clock.steady()) {
            await recorder.awaitsJournal("the journal: \(error)")
            return pause
        }
        await recorder.failed(segment, FetchFailure(.segmentMissing, "the journal: \(error)"))
        return nil
    }

    /// Nil when the journal will not take the fact later either, or the source can no longer be expected to hold the
    /// segment.
    static func pause(
        after error: any Error, until end: ContinuousClock.Instant, now: ContinuousClock.Instant,
    ) -> Duration? {
        guard let error = error as? JournalError, error.isTransient, now + Limits.journalPause <= end else {
            return nil
        }
        return Limits.journalPause
    }

    private func enter(_ outcome: SegmentFetcher.Outcome, of segment: ListedSegment) async throws {
        switch outcome {
        case .again: break
        case .failed(let failure): await recorder.failed(segment, failure)
        case .stored(let stored): try await recorder.stored(segment, stored)
        case .keyPending(let pending):
            try await recorder.keyPending(pending)
            await fetching.room.add(pending, fetcher: fetcher)
        }
    }
}
