package import Catalogue
package import Timeline

/// Composes answers from the catalogue.
///
/// Safe to share; keeps nothing but a short memory of what is under way.
package final class WindowPlayer: Sendable {
    private let catalogue: Catalogue
    private let maxWindowSeconds: Int64
    private let pending: Recent<Int32, [TimeWindow]>

    package init(catalogue: Catalogue, maxWindowSeconds: Int64) {
        self.catalogue = catalogue
        self.maxWindowSeconds = min(max(1, maxWindowSeconds), Limits.windowSeconds)
        pending = Recent(age: Limits.directoryAge, capacity: Limits.directoryEntries)
    }

    /// Composes what a request asks for; the answer has at least one segment.
    package func compose(
        _ request: WindowRequest, of channel: Channel, now: Instant,
    ) async throws(PlaybackError) -> ComposedWindow {
        try checkSliding(request, channel)
        let window = try await offering(request, channel) { () throws(PlaybackError) in
            let line = try await asking { () throws(CatalogueError) in
                try await catalogue.line(of: channel.row)
            }
            if case .sliding(let length, let delay) = request.span {
                let sliding = SlidingWindow(length: length, delay: delay, line: line, now: now)
                return try await compose(sliding, of: channel, line: line)
            }
            let plan = try WindowPlan.resolving(request, line: line, maxWindowSeconds: maxWindowSeconds)
            return try await compose(plan, request, of: channel, now: now)
        }
        if request.isStrict { try checkWhole(window) }
        return window
    }

    /// Adds to "nothing is recorded there" what is recorded near by.
    private func offering(
        _ request: WindowRequest, _ channel: Channel, _ body: () async throws(PlaybackError) -> ComposedWindow,
    ) async throws(PlaybackError) -> ComposedWindow {
        do throws(PlaybackError) {
            let window = try await body()
            if window.renditions.isEmpty { throw PlaybackError.nothingRecorded(available: []) }
            return window
        } catch {
            guard case .nothingRecorded = error else { throw error }
            throw .nothingRecorded(available: try await available(near: request, channel))
        }
    }

    /// What is held nearest to what was asked for.
    package func available(
        near request: WindowRequest, _ channel: Channel,
    ) async throws(PlaybackError) -> [TimeWindow] {
        let window =
            switch request.span {
            case .closed(let begin, let end), .event(let begin, let end):
                TimeWindow(begin: begin, end: end ?? begin)
            case .sliding: TimeWindow(begin: .distantFuture, end: .distantFuture)
            }
        return try await asking { () throws(CatalogueError) in
            try await catalogue.available(of: channel.row, near: window)
        }
    }
}

extension WindowPlayer {
    private func compose(
        _ plan: WindowPlan, _ request: WindowRequest, of channel: Channel, now: Instant,
    ) async throws(PlaybackError) -> ComposedWindow {
        let margin = Limits.trackMissing
        let wide = TimeWindow(begin: plan.window.begin - margin, end: plan.window.end + margin)
        let record = try await asking { () throws(CatalogueError) in
            try await catalogue.record(
                of: channel.row, in: wide, view: plan.kind == .event ? .published : .archive)
        }
        let isSettled = try await isSettled(plan, record.line, channel, now)
        return WindowComposer.compose(record, plan: plan, request: request, isSettled: isSettled)
    }

    /// Reads further back when a hole before the edge leaves less than players need.
    private func compose(
        _ sliding: SlidingWindow, of channel: Channel, line: Line,
    ) async throws(PlaybackError) -> ComposedWindow {
        let lookBacks = [sliding.lookBack(line), maxWindowSeconds * Microseconds.perSecond]
        var composed: ComposedWindow?
        for lookBack in lookBacks {
            let window = TimeWindow(begin: sliding.edge - lookBack, end: sliding.edge)
            let record = try await asking { () throws(CatalogueError) in
                try await catalogue.record(of: channel.row, in: window, view: .published)
            }
            composed = sliding.composed(record)
            if sliding.isSatisfied(by: record) { break }
        }
        guard let composed else { throw .nothingRecorded(available: []) }
        return composed
    }

    /// Whether only a repair can still change a window: it is published or given up since some target durations, or the
    /// channel stands still, and nothing in it is under way.
    private func isSettled(
        _ plan: WindowPlan, _ line: Line, _ channel: Channel, _ now: Instant,
    ) async throws(PlaybackError) -> Bool {
        guard plan.isFixed, plan.window.end <= line.watermark else { return false }
        let settling = Limits.settlingTargets * Int64(max(1, line.targetSeconds)) * Microseconds.perSecond
        let isQuiet = now - line.watermark >= max(settling, Limits.quiet)
        guard isQuiet || line.watermark - plan.window.end >= settling else { return false }
        let pending = try await pendingWindows(of: channel, now)
        return !pending.contains { $0.overlaps(plan.window) }
    }

    private func pendingWindows(of channel: Channel, _ now: Instant) async throws(PlaybackError)
        -> [TimeWindow]
    {
        if let known = pending.value(of: channel.row, now: now) { return known }
        let windows = try await asking { () throws(CatalogueError) in
            try await catalogue.pendingSegments(of: channel.row, limit: Limits.pendingSegments)
        }
        pending.keep(windows, for: channel.row, now: now)
        return windows
    }

    private func checkSliding(_ request: WindowRequest, _ channel: Channel) throws(PlaybackError) {
        guard case .sliding(let length, let delay) = request.span else { return }
        if let length,
            length / Microseconds.perSecond > maxWindowSeconds
                || length / Microseconds.perSecond == maxWindowSeconds && length % Microseconds.perSecond > 0
        {
            throw .lengthTooLong(limitSeconds: maxWindowSeconds)
        }
        if let kept = channel.settings.retentionSeconds, delay / Microseconds.perSecond >= kept,
            delay > kept * Microseconds.perSecond
        {
            throw .delayTooLong(limitSeconds: kept)
        }
    }

    private func checkWhole(_ window: ComposedWindow) throws(PlaybackError) {
        for rendition in window.renditions {
            let missing = window.completeness(of: rendition).missing
            if missing > 0 { throw .incomplete(rendition: rendition.id, missing: missing) }
        }
    }

    private func asking<T>(
        _ body: () async throws(CatalogueError) -> T,
    ) async throws(PlaybackError) -> T {
        do throws(CatalogueError) {
            return try await body()
        } catch {
            throw .catalogue(error)
        }
    }
}
