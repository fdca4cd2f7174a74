import Catalogue
import Concurrency
import Export
import HTTP
import Playback
import Timeline

extension WindowHandler {
    /// A transport stream that begins in the past and goes on as segments are published, until the viewer
    /// leaves.
    func stream(_ asked: RequestedWindow) async throws -> HTTPResponse {
        guard let begin = try await begin(asked) else { throw PlaybackError.nothingRecorded(available: []) }
        guard let (follower, first) = try await started(asked, at: begin) else {
            throw PlaybackError.nothingRecorded(
                available: try await playbackService.available(near: asked.parameters.window, asked.channel))
        }
        var headers = Fields.common
        headers["Content-Type"] = "video/mp2t"
        headers["Accept-Ranges"] = "none"
        headers["Cache-Control"] = "no-store"
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Content-Security-Policy"] = "sandbox"
        let body = export.body(first: first) { try await follower.next() }
        return HTTPResponse(status: .ok, headers: headers, body: .stream(length: nil, body))
    }

    /// A follower of the stream with its first part, which it has passed; nil if nothing is published.
    ///
    /// From an instant that is not recorded yet the stream begins at the live edge, as the time-shifted
    /// playlist of the same instant does.
    private func started(
        _ asked: RequestedWindow, at begin: Instant,
    ) async throws -> (StreamFollower, TransportStreamPlan)? {
        let follower = follower(asked, from: begin)
        if let first = try await follower.published() { return (follower, first) }
        guard case .closed(let begin, nil) = asked.parameters.window.span,
            let edge = try await playbackService.start(
                shiftedBy: asked.now - begin, of: asked.channel, now: asked.now, for: asked.request.client)
        else { return nil }
        let live = self.follower(asked, from: edge)
        guard let first = try await live.published() else { return nil }
        return (live, first)
    }

    private func follower(_ asked: RequestedWindow, from begin: Instant) -> StreamFollower {
        StreamFollower(
            playbackService: playbackService, channel: asked.channel, rendition: asked.parameters.rendition,
            position: begin, client: asked.request.client, clock: hostClock
        ) { [index] in
            do { return try await index.channel(asked.channel.id)?.isDeleted ?? true } catch { return false }
        }
    }

    private func begin(_ asked: RequestedWindow) async throws -> Instant? {
        switch asked.parameters.window.span {
        case .timeshift(let delay):
            return try await playbackService.start(
                shiftedBy: delay, of: asked.channel, now: asked.now, for: asked.request.client)
        case .closed(let begin, nil):
            try await checkShift(to: begin, asked)
            return begin
        case .closed, .event, .sliding:
            throw ParameterError(asked.parameters.endName, "an endless stream has no end")
        }
    }
}

/// Makes the parts of an endless stream, each when the one before has been sent.
actor StreamFollower {
    private let playbackService: PlaybackService
    private let channel: Channel
    private let rendition: RenditionID?
    /// The rendition of the last part.
    private var current: RenditionID?
    /// The end of what was taken.
    private var position: Instant
    private let client: String?
    private let clock: HostClock
    /// Whether the channel is deleted, as far as is known.
    private let isDeleted: @Sendable () async -> Bool
    /// How often nothing was found since the last part.
    private var idlePolls = 0
    /// How long the channel went on meanwhile, microseconds.
    private var missed: Int64 = 0

    init(
        playbackService: PlaybackService, channel: Channel, rendition: RenditionID?, position: Instant,
        client: String?, clock: HostClock, isDeleted: @escaping @Sendable () async -> Bool,
    ) {
        self.playbackService = playbackService
        self.channel = channel
        self.rendition = rendition
        self.position = position
        self.client = client
        self.clock = clock
        self.isDeleted = isDeleted
    }

    /// The next part; `nothingYet` or `quiet` after a pause if none is published.
    ///
    /// A source may be unavailable for hours. So the stream ends only when the channel is deleted, or when
    /// the channel continues for `Limits.renditionTimeout` without the requested rendition. Throws when the
    /// viewer has left. Each pause is short, so that the server sees that the stream is alive.
    func next() async throws -> FollowingPart {
        let (part, isKnown) = try await readable()
        if let part {
            (idlePolls, missed) = (0, 0)
            return .part(part)
        }
        idlePolls += 1
        let isLong = idlePolls.isMultiple(of: Limits.pollsBetweenNullPackets)
        if rendition != nil, missed > Limits.renditionTimeout { return .end }
        if isLong, isKnown, await isDeleted() { return .end }
        try await clock.sleep(for: Limits.streamPause)
        return isLong ? .quiet : .nothingYet
    }

    /// The next part if it is published and can be read now, and whether that is known.
    ///
    /// If the client has no free turn to read, or the catalogue is unavailable, nothing counts as published,
    /// so that a stream that has begun does not end.
    private func readable() async throws -> (part: TransportStreamPlan?, isKnown: Bool) {
        do {
            return (try await published(), true)
        } catch PlaybackError.busy {
            return (nil, false)
        } catch PlaybackError.catalogue(let error) where error.isTransient {
            return (nil, false)
        }
    }

    /// The next part if it is published.
    func published() async throws -> TransportStreamPlan? {
        let found: PublishedSegments
        switch try await playbackService.published(
            from: position, of: channel, rendition, preferring: current, for: client)
        {
        case .segments(let segments): found = segments
        case .nothing(let instant):
            missed += max(0, instant - position)
            position = instant
            return nil
        }
        let part = try TransportStreamPlan(
            channel: channel.id, rendition: found.rendition.id, runs: try found.rendition.segments.runs(),
            formats: found.formats, separateAudio: rendition == nil && found.hasSeparateAudio)
        current = found.rendition.id
        position = found.rendition.segments.last?.end ?? position
        return part
    }
}
