import HLS
import HTTP
import HTTPClient
import Logging
import Timeline

/// Polls one media playlist and sends its new segments to be fetched, until its task is cancelled.
struct RenditionRecorder: Sendable {
    /// Why polling ended.
    enum Ending: Sendable {
        case cancelled
        /// The source's session is over: its first playlist must be read again.
        case needsReload(String)
        /// Nothing new for long: another source may do better.
        case unhealthy(String)
    }

    let recorder: ChannelRecorder
    let fetcher: SegmentFetcher
    let pool: FetchPool
    let room: KeyRoom
    let url: HTTPURL
    let clock: HostClock
    /// Whether to give up on a source that brings nothing, because there is another one.
    let hasAlternative: Bool

    func run(first: FetchedPlaylist?) async -> Ending {
        var pending = first
        var failures = 0
        var target: Int64 = 4_000_000
        var lastNews = clock.steady()
        while !Task.isCancelled {
            let begun = clock.steady()
            var pause: Int64
            do {
                let fetched = try await next(&pending, fresh: failures > 0)
                guard case .media(let list) = fetched.playlist else {
                    return .needsReload("a multivariant playlist stands where a media playlist was")
                }
                target = PlaylistFollower.target(of: list)
                let changed = try await take(list, fetched)
                failures = 0
                if changed { lastNews = clock.steady() }
                pause = Self.pause(after: list, changed: changed, target: target)
            } catch {
                failures += 1
                if Task.isCancelled { break }
                if let ending = await failed(error, failures: failures) { return ending }
                pause = PollPace.afterFailure(failures, target: target)
            }
            if hasAlternative, clock.steady() - lastNews > .microseconds(3 * target) {
                return .unhealthy("nothing new")
            }
            let next = max(begun + .microseconds(pause), clock.steady() + .milliseconds(100))
            try? await Task.sleep(until: next, clock: .continuous)
        }
        return .cancelled
    }

    private func next(_ pending: inout FetchedPlaylist?, fresh: Bool) async throws -> FetchedPlaylist {
        if let first = pending {
            pending = nil
            return first
        }
        return try await fetcher.link.playlist(url, now: clock, fresh: fresh)
    }

    private func take(_ list: MediaPlaylist, _ fetched: FetchedPlaylist) async throws -> Bool {
        var outcome = await recorder.listArrived(list, of: fetcher.rendition, arrival: fetched.arrival)
        if let probe = outcome.probe {
            let digest = try await digest(of: probe, base: fetched.base)
            outcome = await recorder.probed(digest, probe, list, arrival: fetched.arrival)
        }
        for segment in outcome.segments { await fetch(segment, base: fetched.base) }
        return outcome.changed
    }

    /// The digest of a segment in question, nil when that takes a key that is missing; an empty one after three failures, which counts as another segment: a source
    /// that lists what it does not hold must not keep the channel from recording.
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
        let taken = await pool.add { [recorder, fetcher, room] attempt in
            switch await fetcher.store(segment, base: base, attempt: attempt) {
            case .again(let pause): return pause
            case .failed(let failure): await recorder.failed(segment, failure)
            case .keyPending(let pending):
                do {
                    try await recorder.keyPending(pending)
                    await room.add(pending, fetcher: fetcher)
                } catch {
                    await recorder.failed(segment, FetchFailure(.segmentMissing, "the journal: \(error)"))
                }
            case .stored(let stored):
                do {
                    try await recorder.stored(segment, stored)
                } catch {
                    await recorder.failed(segment, FetchFailure(.segmentMissing, "the journal: \(error)"))
                }
            }
            return nil
        }
        if !taken {
            await recorder.failed(
                segment, FetchFailure(.segmentExpired, "too many segments wait to be fetched"))
        }
    }

    /// Tells the recorder what is wrong; an ending when polling on makes no sense.
    private func failed(_ error: any Error, failures: Int) async -> Ending? {
        let failure = error as? PlaylistFailure ?? PlaylistFailure(description: "\(error)")
        if failures >= 2 { await recorder.inTrouble(.sourceUnreachable, failure.description) }
        if failure.needsReload, failures >= 3 { return .needsReload(failure.description) }
        return hasAlternative && failures >= 4 ? .unhealthy(failure.description) : nil
    }

    private static func pause(after list: MediaPlaylist, changed: Bool, target: Int64) -> Int64 {
        if list.isEnded { return PollPace.afterEnd }
        return PollPace.afterLoad(
            changed: changed, lastDuration: list.segments.last?.durationMicroseconds ?? target,
            target: target,
            listLength: list.durationMicroseconds)
    }
}
