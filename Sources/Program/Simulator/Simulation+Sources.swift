import HLS
import HTTP
import Recorder
import SegmentStore
import Timeline

/// Sources.
extension Simulation {
    func source(of use: SourceUse) -> Int? { sources.firstIndex(of: use.source.url) }

    mutating func answer(_ request: PlaylistRequest, _ node: Int) {
        guard let source = source(of: request.use) else { return }
        let late = scenario.fault(.latePlaylists, of: source, at: now)?.amount ?? 0
        let duration = delay(15_000...60_000) + late
        guard !scenario.faults(.sourceUnreachable, of: source, at: now), duration < 15_000_000 else {
            let error = SourceError.unreachable("no answer")
            return happen(.playlistFailed(error, request), node, after: min(duration, 15_000_000))
        }
        let made = now + Int64.random(in: 0...duration, using: &chance)
        encoders[source].advance(to: made)
        let arrival = moment(node, at: now + duration)
        let (encoder, base) = (encoders[source], bases[source])
        let url = request.url ?? base
        guard let id = rendition(of: request, encoder) else {
            let fetched = FetchedPlaylist(
                playlist: encoder.multivariantPlaylist, base: base, arrival: arrival,
                responseTime: .microseconds(duration), of: url)
            return happen(.playlistArrived(fetched, request), node, after: duration)
        }
        let instant = listedInstant(made, of: source)
        let digest = encoder.digest(of: id, at: instant, scenario)
        guard !request.knows(digest, of: url) else {
            return happen(.playlistUnchanged(arrival, request), node, after: duration)
        }
        let fetched = FetchedPlaylist(
            playlist: .media(encoder.playlist(id, at: instant, scenario)), base: base, arrival: arrival,
            responseTime: .microseconds(duration), digest: digest, of: url)
        happen(.playlistArrived(fetched, request), node, after: duration)
    }

    /// The time of the playlist that a source answers with at `made`: an earlier time if it is stale.
    private mutating func listedInstant(_ made: Instant, of source: Int) -> Instant {
        guard let stale = scenario.fault(.stale, of: source, at: now), chance.happens(in: 2) else {
            return made
        }
        return made - stale.amount
    }

    /// The rendition whose playlist is asked for; nil for the multivariant playlist.
    private func rendition(of request: PlaylistRequest, _ encoder: Encoder) -> RenditionID? {
        if encoder.paths.count == 1 { return encoder.settings.renditions[0] }
        guard let path = request.url?.path else { return nil }
        return encoder.paths.firstIndex(of: path).map { encoder.settings.renditions[$0] }
    }

    mutating func answer(_ request: SegmentRequest, _ node: Int) {
        guard let source = source(of: request.use) else { return }
        encoders[source].advance(to: now)
        let slow = scenario.fault(.slow, of: source, at: now)?.amount ?? 0
        let duration = delay(30_000...400_000) + slow
        if scenario.faults(.sourceUnreachable, of: source, at: now) {
            return fail(request, FetchFailure(.segmentMissing, "no connection"), node, after: duration)
        }
        guard let index = servedIndex(of: request.segment, by: source) else {
            return fail(request, FetchFailure(status: 404), node, after: 20_000)
        }
        guard !scenario.faults(.diskFull, of: node, at: now) else {
            return fail(request, FetchFailure(.diskFull, "the disk is full"), node, after: 1_000)
        }
        switch openKey(of: index, of: source, node) {
        case .opens: deliver(index, of: source, request, node, after: duration)
        case .missing: keep(index, of: source, request, node, after: duration)
        case .wrong:
            let failure = FetchFailure.undecryptable("it is no media")
            guard request.keepsUndecryptable(failure) else {
                return fail(request, failure, node, after: duration)
            }
            keep(index, of: source, request, node, after: duration)
        }
    }

    private mutating func fail(
        _ request: SegmentRequest, _ failure: FetchFailure, _ node: Int, after duration: Int64,
    ) {
        happen(.segmentFailed(failure, request), node, after: duration)
    }

    /// Answers with what a source has of a segment, which may not be stored.
    private mutating func deliver(
        _ index: Int, of source: Int, _ request: SegmentRequest, _ node: Int, after duration: Int64,
    ) {
        let body = body(of: index, of: source, request)
        if let failure = refusal(of: body, index, of: source, request) {
            return fail(request, failure, node, after: duration)
        }
        queue.add(
            .stored(body.stored, request, node: node, generation: nodes[node].generation), at: now + duration)
    }

    /// The index of a listed segment that a source has now; nil if it does not have it.
    private func servedIndex(of segment: ListedSegment, by source: Int) -> Int? {
        let index = encoders[source].resolve(
            segment.entry.uri, of: segment.placed.identity.rendition, at: now)
        return index.flatMap { isMissing($0, of: source) ? nil : $0 }
    }

    /// What a segment's body is now, and how long its media are.
    private mutating func body(
        of index: Int, of source: Int, _ request: SegmentRequest,
    ) -> (stored: StoredSegment, byteCount: Int64) {
        let segment = encoders[source].segments[index]
        let isDamaged = scenario.faults(.damaged, of: source, at: segment.listedAt)
        var packetCount = packetCount(of: segment, of: source)
        let vector = request.segment.entry.keys.first.map { request.segment.vector(of: $0) }
        let rendition = request.segment.placed.identity.rendition
        let isGarbled =
            encoders[source].keyNumber(of: index) != nil
            && vector != encoders[source].vector(of: index, rendition)
        let cut = isDamaged ? nil : packetsBeforeCut(of: source)
        if let cut { packetCount = min(packetCount, cut) }
        let condition: Media.Condition =
            isGarbled
            ? .garbled
            : isDamaged ? .damaged : cut != nil ? .cut : packetCount < Media.packets ? .part : .whole
        let byteCount: Int64 = isDamaged ? 700 : packetCount * 100
        var stored = stored(
            index, of: source, request.segment.placed, condition, byteCount: byteCount,
            duration: isDamaged || cut != nil ? nil : segment.duration * packetCount / Media.packets)
        // Each beginning of it has bytes of its own.
        if condition == .part || condition == .cut { stored.object.digest.append(UInt8(packetCount)) }
        return (stored, byteCount)
    }

    /// How many packets come before a transfer is cut that begins now; nil when it is not.
    private mutating func packetsBeforeCut(of source: Int) -> Int64? {
        scenario.faults(.cut, of: source, at: now)
            ? Int64.random(in: 1..<Media.packets, using: &chance) : nil
    }

    /// Why what came of a segment is not stored; nil when it is.
    private mutating func refusal(
        of body: (stored: StoredSegment, byteCount: Int64), _ index: Int, of source: Int,
        _ request: SegmentRequest,
    ) -> FetchFailure? {
        let rendition = request.segment.placed.identity.rendition
        if let beginning = request.requiredBeginning,
            !Media.begins(archive.digest(of: beginning.key) ?? [], source, rendition, index),
            !request.takesOtherBytes(
                firstTimestamp: body.stored.firstTimestamp, isCut: body.stored.isCut)
        {
            return .otherBeginning
        }
        if let held = request.held, held.byteCount >= body.byteCount {
            // A transfer that was cut no later than the one before says nothing of the source's bytes.
            // Segments have ten packets here: two cuts at the same place are no proof, as they are elsewhere.
            return body.stored.isCut
                ? FetchFailure(.segmentMissing, "the transfer was cut earlier") : .noBetterBytes
        }
        guard body.stored.isCut else { return nil }
        // Half of a segment is more than first bytes that are alike in all of them.
        let isHalf = body.byteCount >= Media.packets * 50
        if isHalf, source == 0 {
            partsOfFirst[rendition, default: []].insert(index)
            firstPartBegan = firstPartBegan ?? now
        }
        return request.keepsCutPart(byteCount: isHalf ? body.byteCount * 10 : 0)
            ? nil : FetchFailure(.segmentMissing, "the transfer was cut")
    }

    func stored(
        _ index: Int, of source: Int, _ placed: PlacedSegment, _ condition: Media.Condition, byteCount: Int64,
        duration: Int64?,
    ) -> StoredSegment {
        let rendition = placed.identity.rendition
        let name = SegmentName(start: placed.start, revision: 0, fileExtension: .transportStream)
        return StoredSegment(
            object: CommittedObject(
                key: .segment(Self.channel, rendition, name), byteCount: byteCount,
                digest: Media.digest(source, rendition, index, condition), wasThere: false),
            format: SegmentFormat(container: .transportStream, tracks: "video:h264"),
            flags: condition == .damaged || condition == .cut ? .damaged : [], plainBytes: byteCount,
            firstTimestamp: encoders[source].timestamp(index, rendition), measuredDuration: duration,
            isCut: condition == .cut)
    }

    /// How many packets of a segment are served now.
    private func packetCount(of segment: Encoder.Segment, of source: Int) -> Int64 {
        guard let fault = scenario.fault(.partial, of: source, at: segment.listedAt),
            now < segment.listedAt + fault.amount
        else { return Media.packets }
        guard fault.grows else { return 4 }
        return max(1, (now - segment.listedAt) * Media.packets / fault.amount)
    }

    private func isMissing(_ index: Int, of source: Int) -> Bool {
        let listed = encoders[source].segments[index].listedAt
        return scenario.faults(.missing, of: source, at: listed) || encoders[source].isGap(index, at: now)
    }

    mutating func store(_ stored: StoredSegment, _ request: SegmentRequest, _ node: Int) {
        handle(.segmentStored(committed(stored, request.segment.placed), request), node)
    }

    /// Gives a segment's bytes their name in the archive.
    mutating func committed(_ stored: StoredSegment, _ placed: PlacedSegment) -> StoredSegment {
        var stored = stored
        (stored.object.key, stored.object.wasThere) = archive.commit(
            stored.object.digest, channel: Self.channel, placed.identity.rendition, start: placed.start)
        return stored
    }

    mutating func answer(_ request: ProbeRequest, _ node: Int) {
        guard let source = source(of: request.use) else { return }
        encoders[source].advance(to: now)
        guard !scenario.faults(.sourceUnreachable, of: source, at: now),
            let index = servedIndex(of: request.segment, by: source)
        else {
            return happen(.probeFailed(request), node, after: 50_000)
        }
        guard case .opens = openKey(of: index, of: source, node) else {
            return happen(.segmentProbed(nil, request), node, after: delay(30_000...400_000))
        }
        let segment = encoders[source].segments[index]
        let isDamaged = scenario.faults(.damaged, of: source, at: segment.listedAt)
        let duration = segment.duration * packetCount(of: segment, of: source) / Media.packets
        let rendition = request.segment.placed.identity.rendition
        let probed = ProbedSegment(
            digest: Media.digest(source, rendition, index),
            firstTimestamp: encoders[source].timestamp(index, rendition),
            measuredDuration: isDamaged ? nil : duration)
        happen(.segmentProbed(probed, request), node, after: delay(30_000...400_000))
    }
}
