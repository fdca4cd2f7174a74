import Catalogue
import Concurrency
import Synchronization
package import Timeline

/// A day of a channel with more markers than playlists state.
package struct ExcessMarkers: Sendable {
    package var channel: Int32
    package var day: Instant
    /// The begin of the last marker that is stated.
    package var last: Instant
}

/// The markers of channels in memory, by day.
///
/// A day that was read after a change of the markers also serves playlists of an older head: markers that
/// became known later come after everything that such a playlist lists.
final class MarkerCache: Sendable {
    private struct CacheKey: Hashable {
        var channel: Int32
        var day: Int64
    }

    private struct Entry {
        /// `ChannelHead.markerRevision` when it was read, at least.
        var revision: Int64
        var markers: [MarkerText]
    }

    private struct State {
        var days: [CacheKey: Entry] = [:]
        var markerCount = 0
    }

    private let catalogue: Catalogue
    private let clock: HostClock
    /// Called when a day comes into memory that has more markers than are stated.
    private let exceeded: @Sendable (ExcessMarkers) -> Void
    private let state = Mutex(State())
    /// Many requests need the same day when a marker has come: with few permits, most find what another one
    /// read.
    private let reads = AsyncSemaphore(permits: Limits.markerReads)

    init(
        catalogue: Catalogue, clock: HostClock,
        exceeded: @escaping @Sendable (ExcessMarkers) -> Void = { _ in },
    ) {
        (self.catalogue, self.clock, self.exceeded) = (catalogue, clock, exceeded)
    }

    /// The markers that lie in a window, in the order of their begins.
    ///
    /// Of a day with more than `Limits.markersPerDay` they are the oldest ones, so that no playlist loses a
    /// tag because another marker came.
    func markers(of head: ChannelHead, in window: TimeWindow) async throws(CatalogueError) -> [MarkerText] {
        guard head.markerRevision > 0, !window.isEmpty else { return [] }
        var found: [MarkerText] = []
        for day in Self.days(of: window) {
            let known = try await markers(CacheKey(channel: head.channel, day: day), head.markerRevision)
            found += Self.markers(known, of: day, in: window)
        }
        return found
    }

    /// The same from memory; nil if a day has to be read.
    func known(of head: ChannelHead, in window: TimeWindow) -> [MarkerText]? {
        guard head.markerRevision > 0, !window.isEmpty else { return [] }
        let days = Self.days(of: window)
        let known: [[MarkerText]]? = state.withLock { state in
            var known: [[MarkerText]] = []
            for day in days {
                guard let entry = state.days[CacheKey(channel: head.channel, day: day)],
                    entry.revision >= head.markerRevision
                else { return nil }
                known.append(entry.markers)
            }
            return known
        }
        // They may be thousands, so others do not wait while they are compared.
        return known.map { zip($0, days).flatMap { Self.markers($0, of: $1, in: window) } }
    }

    private static func days(of window: TimeWindow) -> ClosedRange<Int64> {
        let first = window.begin.microseconds / Limits.markerDay
        return first...max(first, (window.end.microseconds - 1) / Limits.markerDay)
    }

    /// The markers of a day that lie in a window; one that began earlier was found in the day before.
    private static func markers(
        _ known: [MarkerText], of day: Int64, in window: TimeWindow,
    ) -> [MarkerText] {
        let isFirst = day == days(of: window).lowerBound
        return known.filter {
            $0.marker.overlaps(window)
                && (isFirst || $0.marker.begin.microseconds >= day * Limits.markerDay)
        }
    }

    /// Reads the newest known day of a channel again, before a head with newer markers becomes visible.
    ///
    /// It does not wait for other reads, because the channel's live playlists do not advance until it ends.
    func refresh(_ head: ChannelHead) async throws(CatalogueError) {
        let newest = state.withLock { state in
            state.days.keys.filter { $0.channel == head.channel }.max { $0.day < $1.day }
        }
        guard let newest, known(newest, head.markerRevision) == nil else { return }
        _ = try await read(newest, head.markerRevision)
    }

    private func markers(_ place: CacheKey, _ revision: Int64) async throws(CatalogueError) -> [MarkerText] {
        if let known = known(place, revision) { return known }
        let found = try await reads.withPermit(within: Limits.turnTimeout, by: clock) {
            () async throws(CatalogueError) in
            if let known = known(place, revision) { return known }
            return try await read(place, revision)
        }
        guard let found else { throw .notInTime }
        return found
    }

    private func known(_ place: CacheKey, _ revision: Int64) -> [MarkerText]? {
        let known = state.withLock { $0.days[place] }
        return known.flatMap { $0.revision >= revision ? $0.markers : nil }
    }

    private func read(_ place: CacheKey, _ revision: Int64) async throws(CatalogueError) -> [MarkerText] {
        let begin = Instant(microseconds: place.day * Limits.markerDay)
        let found = try await catalogue.markers(
            of: place.channel, in: TimeWindow(begin: begin, end: begin + Limits.markerDay),
            limit: Limits.markersPerDay + 1)
        let read = found.prefix(Limits.markersPerDay).map { MarkerText($0) }
        if found.count > read.count, let last = read.last, state.withLock({ $0.days[place] == nil }) {
            exceeded(ExcessMarkers(channel: place.channel, day: begin, last: last.marker.begin))
        }
        state.withLock { state in
            let replaced = state.days[place]?.markers.count ?? 0
            if state.markerCount - replaced + read.count > Limits.cachedMarkers
                || state.days.count >= Limits.cachedMarkerDays
            {
                state = State()
            }
            if let previous = state.days[place], previous.revision > revision { return }
            let previous = state.days.updateValue(Entry(revision: revision, markers: read), forKey: place)
            state.markerCount += read.count - (previous?.markers.count ?? 0)
        }
        return read
    }
}

extension TimeWindow {
    /// With the time around it in which a marker may begin that concerns its playlists.
    var withMarkers: TimeWindow {
        TimeWindow(begin: begin - Limits.markerLead, end: end + Limits.markerLead)
    }
}
