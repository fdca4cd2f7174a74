import Catalogue
import Timeline

/// PostgreSQL as a model: what the statements of the catalogue do to its tables.
///
/// It checks the conditions that each commit must fulfil.
struct SimulatedCatalogue {
    struct Row {
        var fact: SegmentFact
        var number: Int64?
        var discontinuitySequence: Int32
        /// Better bytes that came after it was published.
        var repair: SegmentFact?

        /// What closed windows list: of what, and how long it lasts.
        var shownDigest: [UInt8] { repair?.digest ?? fact.digest }
        var shownFlags: SegmentFlags { repair?.flags ?? fact.flags }
        var shownMediaDuration: Int64 { repair?.mediaDuration ?? fact.mediaDuration }

        /// A part takes the place of shorter bytes only, and of no whole ones that were better before.
        fileprivate func isImproved(by other: SegmentFact) -> Bool {
            let held = repair ?? fact
            let mayBeShort = repair.map { !$0.flags.isDisjoint(with: .parts) } ?? true
            return other.revision > held.revision
                && (other.flags.isDisjoint(with: .parts) || mayBeShort && other.plainBytes > held.plainBytes)
        }
    }

    fileprivate enum Intake {
        case stored, keyPending, lost, listed
    }

    /// An object, so that a change copies none of its rows.
    fileprivate final class Rendition {
        var description: RenditionDescription
        var nextNumber: Int64 = 0
        /// By start.
        var rows: [Row] = []
        var publishedEnd: Instant?
        var publishedSequence: Int32 = 0
        /// Rows by source run, oldest first.
        var runs: [(run: Int64, rows: [KnownSegment])] = []

        init(_ description: RenditionDescription) { self.description = description }
    }

    private(set) var head: PublishedHead
    private(set) var losses: [Loss] = []
    private(set) var markers: [Marker] = []
    private(set) var findings: [String] = []
    /// Published segments that came once more, as the answer to their batch was lost.
    private(set) var repeatedCount = 0
    private var renditions: [RenditionID: Rendition] = [:]
    private var intake: [SegmentIdentity: Intake] = [:]
    private var fence: Int64 = 0
    private var owner: Int?
    /// When each node counts as dead.
    private var expiries: [Int: Instant] = [:]
    private(set) var newestRun: SourceRun?
    private(set) var sourceRuns: [Int64: SourceRun] = [:]

    init() {
        let nothing = Instant(microseconds: 0)
        head = PublishedHead(
            discontinuitySequence: 0, end: nothing, watermark: nothing, expiredBefore: nothing,
            targetSeconds: 0)
    }

    /// What is held of each rendition, by start.
    var rows: [RenditionID: [Row]] { renditions.mapValues(\.rows) }

    /// Whether a segment is held under this name.
    func refers(to key: ArchiveKey) -> Bool {
        guard case .segment(_, let id, _) = key, let rendition = renditions[id] else { return false }
        return rendition.rows.contains { $0.fact.key == key || $0.repair?.key == key }
    }

    // MARK: Leases

    mutating func heartbeat(_ node: Int, at now: Instant) {
        expiries[node] = now + Self.lease
    }

    /// How long a node counts as alive after it was heard, microseconds.
    static let lease: Int64 = 6_000_000

    /// A node that does not take over leaves the lease even to a node that seems to be dead.
    mutating func takeLease(_ node: Int, at now: Instant, takesOver: Bool) -> Lease? {
        let isTaken = expiries[owner ?? node] ?? Instant(microseconds: 0) > now || !takesOver
        if let owner, owner != node, isTaken { return nil }
        owner = node
        fence += 1
        return Lease(fence: fence, publishedHead: head, databaseDate: now)
    }

    mutating func releaseLease(fence: Int64) {
        if fence == self.fence { owner = nil }
    }

    /// The heads of the renditions, with a few of the segments only if they are to be brief.
    func heads(isBrief: Bool) -> [RenditionHead] {
        let gaps = Dictionary(grouping: losses.filter { $0.reason == .sourceGap }, by: \.rendition)
            .mapValues { Set($0.map(\.window.begin)) }
        return renditions.values.map { rendition in
            let limit = isBrief ? 20 : 10_000
            var known = Array(rendition.runs.suffix(2).flatMap(\.rows).suffix(limit))
            for index in known.indices where known[index].isLost {
                let gaps = gaps[rendition.description.id]
                known[index].isGap = gaps?.contains(known[index].start) ?? false
            }
            var head = RenditionHead(
                description: rendition.description, nextNumber: rendition.nextNumber,
                last: rendition.rows.last.map(Self.last),
                published: rendition.rows.last { $0.number != nil }.map(Self.last), known: known)
            head.isBrief = isBrief && known.count == limit
            return head
        }.sorted { $0.description.id < $1.description.id }
    }

    private static func last(_ row: Row) -> LastSegment {
        LastSegment(
            end: row.fact.end, discontinuitySequence: row.discontinuitySequence, format: row.fact.format,
            firstTimestamp: row.fact.firstTimestamp)
    }

    // MARK: Commits

    /// - Returns: whether the lease was still held
    mutating func commit(_ batch: Batch, archive: SimulatedArchive) -> Bool {
        let isHeld = batch.fence == fence
        let watermark = head.watermark
        if isHeld { moveHead(batch.publishedHead) }
        for description in batch.renditions {
            if let known = renditions[description.id] {
                known.description = description
            } else {
                renditions[description.id] = Rendition(description)
            }
        }
        for run in batch.sourceRuns {
            sourceRuns[run.id] = run
            if run.id > newestRun?.id ?? 0 { newestRun = run }
        }
        for loss in batch.losses { take(loss) }
        for marker in batch.markers { take(marker) }
        for segment in batch.listed where intake[segment.identity] == nil { mark(segment, .listed) }
        for segment in batch.keyPending { mark(segment.placed, .keyPending) }
        for segment in batch.lost { mark(segment, .lost) }
        for segment in batch.segments where segment.number != nil {
            enter(segment, isPublished: isHeld, after: watermark, archive)
        }
        for segment in batch.segments where segment.number == nil {
            enter(segment, isPublished: false, after: watermark, archive)
        }
        return isHeld
    }

    /// A loss that begins where a known one does is that one, longer.
    private mutating func take(_ loss: Loss) {
        let known = losses.indices.suffix(50).last {
            losses[$0].window.begin == loss.window.begin && losses[$0].reason == loss.reason
                && losses[$0].rendition == loss.rendition
        }
        guard let known else { return losses.append(loss) }
        losses[known].window.end = max(losses[known].window.end, loss.window.end)
    }

    private mutating func moveHead(_ update: PublishedHeadUpdate) {
        if update.end < head.end { findings.append("the end of the channel went back") }
        head.discontinuitySequence = max(head.discontinuitySequence, update.discontinuitySequence)
        head.end = max(head.end, update.end)
        head.watermark = max(head.watermark, update.watermark)
        head.targetSeconds = max(head.targetSeconds, update.targetSeconds)
    }

    private mutating func mark(_ segment: PlacedSegment, _ state: Intake) {
        guard intake[segment.identity] != .stored else { return }
        intake[segment.identity] = state
        let (run, number) = (segment.identity.run, segment.identity.number)
        renditions[segment.identity.rendition]?.know(
            KnownSegment(
                run: run, number: number, start: segment.start, duration: segment.duration,
                isLost: state == .lost, digest: [], isKeyPending: state == .keyPending,
                isListed: state == .listed))
    }

    /// More may be known of a marker.
    private mutating func take(_ marker: Marker) {
        let index = markers.lastIndex {
            $0.id == marker.id
                && ($0.sourceStart - marker.sourceStart).magnitude <= Marker.sourceTolerance.magnitude
        }
        if let index { markers[index].attributes = marker.attributes } else { markers.append(marker) }
    }

    private mutating func enter(
        _ segment: DecidedSegment, isPublished: Bool, after watermark: Instant, _ archive: SimulatedArchive,
    ) {
        let fact = segment.fact
        guard let rendition = renditions[fact.identity.rendition] else {
            return findings.append("\(fact.identity.rendition): a segment without a rendition")
        }
        if intake[fact.identity] == .stored {
            if fact.replaces != nil, !isPublished { return repair(fact, of: rendition, archive) }
            if isPublished, rendition.rows.last?.number == segment.number { repeatedCount += 1 }
            // Segments that the present owner publishes replace those that a former owner archived.
            guard isPublished, rendition.removeArchived(fact.identity) else { return }
        }
        guard archive.digest(of: fact.key) == fact.digest else {
            return findings.append("\(fact.identity) is in the catalogue, its bytes are not in the archive")
        }
        guard let index = rendition.freeIndex(for: fact, isPublished: isPublished) else { return }
        intake[fact.identity] = .stored
        if isPublished { check(segment, rendition, after: watermark) }
        rendition.insert(
            Row(
                fact: fact, number: isPublished ? segment.number : nil,
                discontinuitySequence: segment.discontinuitySequence ?? rendition.publishedSequence),
            at: index)
        rendition.know(fact)
        for identity in rendition.resolveOverlaps(around: index) { intake[identity] = .lost }
        if isPublished { rendition.publish(segment) }
    }

    private mutating func repair(
        _ fact: SegmentFact, of rendition: Rendition, _ archive: SimulatedArchive,
    ) {
        guard archive.digest(of: fact.key) == fact.digest else {
            return findings.append("\(fact.identity) is repaired, its bytes are not in the archive")
        }
        guard let index = rendition.rows.lastIndex(where: { $0.fact.identity == fact.identity }),
            rendition.rows[index].isImproved(by: fact)
        else { return }
        rendition.rows[index].repair = fact
        rendition.know(fact)
    }

    /// A growing playlist only grows at its end.
    private mutating func check(_ segment: DecidedSegment, _ rendition: Rendition, after watermark: Instant) {
        let (fact, name) = (segment.fact, segment.fact.identity)
        if segment.number != rendition.nextNumber {
            findings.append("\(name) has number \(segment.number ?? -1), not \(rendition.nextNumber)")
        }
        if let end = rendition.publishedEnd, fact.start < end {
            findings.append("\(name) begins \(end - fact.start) µs before the segment in front of it ends")
        }
        if let sequence = segment.discontinuitySequence, sequence < rendition.publishedSequence {
            findings.append("\(name) goes back in the discontinuity sequence")
        }
    }
}

extension SimulatedCatalogue.Rendition {
    /// Removes a segment that was stored without being published.
    ///
    /// - Returns: whether there was one
    fileprivate func removeArchived(_ identity: SegmentIdentity) -> Bool {
        guard let index = rows.lastIndex(where: { $0.fact.identity == identity }), rows[index].number == nil
        else { return false }
        rows.remove(at: index)
        return true
    }

    /// Where a new segment belongs among the rows; nil if a row that stays has its start.
    ///
    /// A published segment replaces an unpublished one.
    fileprivate func freeIndex(for fact: SegmentFact, isPublished: Bool) -> Int? {
        var index = rows.count
        while index > 0, rows[index - 1].fact.start > fact.start { index -= 1 }
        guard index > 0, rows[index - 1].fact.start == fact.start else { return index }
        guard isPublished, rows[index - 1].number == nil else { return nil }
        rows.remove(at: index - 1)
        return index - 1
    }

    fileprivate func insert(_ row: SimulatedCatalogue.Row, at index: Int) {
        // An insertion moves far more than it must.
        if index == rows.count { rows.append(row) } else { rows.insert(row, at: index) }
    }

    /// A segment is the last one of growing playlists now.
    fileprivate func publish(_ segment: DecidedSegment) {
        guard let number = segment.number else { return }
        nextNumber = number + 1
        publishedEnd = segment.fact.end
        publishedSequence = segment.discontinuitySequence ?? publishedSequence
    }

    /// Resolves what overlaps a row that has just come.
    ///
    /// - Returns: what is not held any more
    fileprivate func resolveOverlaps(around newIndex: Int) -> [SegmentIdentity] {
        let new = TimeWindow(begin: rows[newIndex].fact.start, end: rows[newIndex].fact.end)
        var (low, high) = (newIndex, newIndex + 1)
        while low > 0, rows[low - 1].fact.end > new.begin { low -= 1 }
        while high < rows.count, rows[high].fact.start < new.end { high += 1 }
        guard high - low > 1 else { return [] }
        let overlapping = (low..<high).map { index in
            Overlap.Row(
                start: rows[index].fact.start, duration: rows[index].fact.duration,
                isPublished: rows[index].number != nil, isNew: index == newIndex,
                digest: rows[index].shownDigest)
        }
        let resolution = Overlap.resolve(overlapping)
        for (index, duration) in resolution.durations {
            let fact = rows[low + index].fact
            let stated = Overlap.statedDuration(
                of: overlapping[index], measured: fact.measuredDuration, lasting: duration)
            rows[low + index].fact.duration = duration
            rows[low + index].repair?.duration = duration
            guard let stated, !fact.flags.contains(.measuredDuration) else { continue }
            rows[low + index].fact.setStatedDuration(stated)
            rows[low + index].repair?.setStatedDuration(stated)
        }
        let removed = resolution.removed.map { rows[low + $0].fact.identity }
        for index in resolution.removed.sorted(by: >) { rows.remove(at: low + index) }
        return removed
    }

    fileprivate func know(_ fact: SegmentFact) {
        know(KnownSegment(fact))
    }

    fileprivate func know(_ known: KnownSegment) {
        guard let index = runs.lastIndex(where: { $0.run == known.run }) else {
            runs.append((known.run, [known]))
            return runs.sort { $0.run < $1.run }
        }
        if runs[index].rows.last.map({ $0.number < known.number }) ?? true {
            return runs[index].rows.append(known)
        }
        let row = runs[index].rows.partitioningIndex { $0.number >= known.number }
        if row < runs[index].rows.count, runs[index].rows[row].number == known.number {
            runs[index].rows[row] = known
        } else {
            runs[index].rows.insert(known, at: row)
        }
    }
}

extension SegmentFact {
    /// Sets the duration that EXTINF states, unless one is set already.
    fileprivate mutating func setStatedDuration(_ duration: Int64) {
        guard flags.insert(.measuredDuration).inserted else { return }
        measuredDuration = duration
    }
}

/// The archive as a model: a name never gets other bytes.
struct SimulatedArchive {
    /// The name of a segment without its channel, of which there is one.
    private struct Name: Hashable {
        var rendition: RenditionID
        var name: SegmentName

        /// Nil for what is no segment: nothing else is kept.
        init?(_ key: ArchiveKey) {
            guard case .segment(_, let rendition, let name) = key else { return nil }
            (self.rendition, self.name) = (rendition, name)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(name.startMilliseconds)
        }
    }

    private var digests: [Name: [UInt8]] = [:]

    func digest(of key: ArchiveKey) -> [UInt8]? { Name(key).flatMap { digests[$0] } }

    /// Keeps bytes under a name, or under its first revision that is free.
    mutating func commit(_ digest: [UInt8], channel: ChannelID, _ rendition: RenditionID, start: Instant)
        -> (key: ArchiveKey, wasThere: Bool)
    {
        var name = SegmentName(start: start, revision: 0, fileExtension: .transportStream)
        while true {
            let key = ArchiveKey.segment(channel, rendition, name)
            let held = self.digest(of: key)
            guard let held, held != digest else {
                if held == nil, let name = Name(key) { digests[name] = digest }
                return (key, held != nil)
            }
            name.revision += 1
        }
    }

    mutating func delete(_ key: ArchiveKey) {
        if let name = Name(key) { digests[name] = nil }
    }
}
