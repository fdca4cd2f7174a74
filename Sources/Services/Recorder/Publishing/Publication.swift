package import Catalogue
import Concurrency
import HLS
package import Journal
import Timeline

/// What is on its way from the journal into the catalogue: the publisher's queues, the lines that they stand
/// in, and what waits in the journal only because memory is bounded.
///
/// Decides only; it has no clock.
struct Publication: Sendable {
    private let channel: Int32
    private let fence: Int64
    private let node: String?
    var publisher: Publisher { didSet { isChanged = true } }
    /// Entries other than segments that wait for the catalogue.
    private var entries: [WaitingEntry] = [] { didSet { isChanged = true } }
    /// Lines of the segments that are held in memory; the last line of a segment is the one that counts.
    ///
    /// None of them is done before the segment is in the catalogue.
    var positions: [SegmentIdentity: [JournalPosition]] = [:]
    /// Lines of the segments that wait for their keys; they stay until the key comes or is given up.
    var keyPendingLines: [SegmentIdentity: JournalPosition] = [:]
    /// Lines that repeat what another one says or the catalogue has.
    var doneLines: [JournalPosition] = [] { didSet { isChanged = true } }
    /// What waits in the journal only; nil when everything that waits is held in memory.
    private var backlog: Backlog? { didSet { isChanged = true } }
    /// What the catalogue had when recording began, until what the journal had then has been read.
    private var known: Set<SegmentIdentity> = []
    /// The decided batch that the catalogue has not confirmed yet; nothing else is decided before that.
    var pending: PendingBatch? { didSet { isChanged = true } }
    private var lastHead: PublishedHeadUpdate?
    /// Something has changed since there was no batch.
    private var isChanged = true
    /// When time alone may lead to another batch.
    private var nextTimeout: SteadyInstant?
    /// Cue tags of segments that may not come.
    private(set) var cueTags = CarriedCueTags()

    init(channel: Int32, lease: Lease) {
        self.channel = channel
        (fence, node) = (lease.fence, lease.node)
        publisher = Publisher(publishedHead: lease.publishedHead)
    }

    /// Whether what comes now waits in the journal only.
    var hasBacklog: Bool { backlog != nil }

    /// Whether another batch may be ready: something has changed since none was, or a time has come.
    func hasWork(at now: SteadyInstant) -> Bool { nextWork(from: now).map { $0 <= now } ?? false }

    /// The earliest time from `time` on at which a batch may be ready; nil when only an event helps.
    func nextWork(from time: SteadyInstant) -> SteadyInstant? {
        isChanged || backlog != nil ? time : nextTimeout.map { max($0, time) }
    }

    /// After which position the journal must be read before the next batch.
    ///
    /// Nil when no read is needed; an inner nil means from the beginning.
    var linesWanted: JournalPosition?? {
        guard pending == nil, let backlog, publisher.waitsForReadBack || hasRoom else { return nil }
        return .some(backlog.cursor)
    }

    private var hasRoom: Bool {
        positions.count + entries.count + Limits.factsReadBack <= Limits.heldFacts
    }
}

/// Going on where an earlier process stopped.
extension Publication {
    mutating func resume(_ heads: [RenditionHead], now: SteadyInstant) {
        for head in heads {
            publisher.open(RenditionQueue(resuming: head, now: now))
            for segment in head.known where segment.isStored {
                known.insert(
                    SegmentIdentity(
                        rendition: head.description.id, run: segment.run, number: segment.number))
            }
        }
    }

    /// An entry of the journal, of which the segments that wait for keys are needed at once; the others are
    /// read again when it is their turn.
    mutating func resume(_ line: JournalLineRead, _ waiting: inout [SegmentIdentity: KeyPendingSegment]) {
        switch line.entry {
        case .segment(let fact):
            waiting[fact.identity] = nil
            if let position = keyPendingLines.removeValue(forKey: fact.identity) {
                doneLines.append(position)
            }
        case .keyPending(let segment) where known.contains(segment.identity):
            doneLines.append(line.position)
        case .keyPending(let segment):
            waiting[segment.identity] = segment
            let earlier = keyPendingLines.updateValue(line.position, forKey: segment.identity)
            if let earlier { doneLines.append(earlier) }
        case .sourceRun, .loss, .marker, .rendition:
            break
        }
    }

    /// The whole journal was looked through: what is in it goes in part by part.
    mutating func resumed(waiting: some Sequence<KeyPendingSegment>) {
        backlog = Backlog(underWay: waiting.map { PendingSegment($0.placed) })
    }
}

/// What is listed, stored and lost.
extension Publication {
    mutating func open(_ id: RenditionID, now: SteadyInstant) {
        publisher.open(RenditionQueue(rendition: id, now: now))
    }

    /// Opens the renditions that a playlist of the source names; only they are waited for.
    mutating func open(named ids: [RenditionID], now: SteadyInstant) {
        for id in ids { open(id, now: now) }
        publisher.setNamed(Set(ids))
    }

    mutating func sourceTarget(seconds: Int) {
        publisher.sourceTarget(seconds)
    }

    /// Adds listed segments to the publisher, or to the backlog while there is one.
    ///
    /// The first `postponedCount` of them are fetched later; those after them do not wait for them.
    mutating func listed(
        _ segments: [PlacedSegment], postponedCount: Int = 0, now: SteadyInstant,
    ) {
        guard let rendition = segments.first?.identity.rendition else { return }
        var pending = segments.map { PendingSegment($0) }
        for index in pending.indices.prefix(postponedCount) { pending[index].isPostponed = true }
        guard backlog == nil else {
            backlog?.list(pending)
            return
        }
        publisher.listed(pending, of: rendition, now: now)
        boundMemory()
    }

    /// Listed segments have cue tags, which stand before the next published one if theirs do not come.
    mutating func hold(_ segments: [ListedSegment]) {
        for segment in segments where !segment.entry.unknownLines.isEmpty {
            cueTags.list(segment.placed, segment.keptTags.filter(MediaSegment.isCueTag))
        }
    }

    /// A segment's line is written: the publisher gets the fact, unless it is read back in its turn.
    ///
    /// Better bytes of a segment that is published already, or goes to the archive, are a repair.
    mutating func stored(
        _ fact: SegmentFact, at line: JournalPosition, isFinal: Bool = true, now: SteadyInstant,
    ) {
        cueTags.stored(fact.identity)
        var fact = fact
        // Its turn may have passed while its line was written.
        fact.setTags(cueTags.kept(fact.cueTags, of: fact.identity))
        if let backlog, backlog.hasRead(line) { return }
        if fact.replaces != nil, !publisher.expects(fact.identity) {
            return written(.segment(fact), at: line)
        }
        if backlog != nil, !publisher.expects(fact.identity) {
            _ = backlog?.settle(fact.identity)
            backlog?.noteWritten(at: line)
            return
        }
        // It was read back before the answer to its writing came.
        if positions[fact.identity]?.last == line { return }
        positions[fact.identity, default: []].append(line)
        publisher.stored(fact.asFirst, isFinal: isFinal, now: now)
        boundMemory()
    }

    /// No better bytes of a segment will come.
    mutating func markFinal(_ identity: SegmentIdentity) {
        publisher.markFinal(identity)
    }

    /// Another entry's line is written; if it could not be, it is entered without one while memory allows.
    mutating func written(_ entry: JournalEntry, at line: JournalPosition?) {
        guard let line else {
            if entries.count < Limits.heldFacts { entries.append(WaitingEntry(entry: entry, line: nil)) }
            return
        }
        if let backlog, backlog.hasRead(line) { return }
        guard backlog == nil else {
            backlog?.noteWritten(at: line)
            return
        }
        entries.append(WaitingEntry(entry: entry, line: line))
        boundMemory()
    }

    /// A segment waits for its key from now on; its line outlives the batch that enters it.
    mutating func keyPending(_ segment: KeyPendingSegment, at line: JournalPosition) {
        keyPendingLines[segment.identity] = line
        // It almost always comes, with its tags.
        cueTags.stored(segment.identity)
        publisher.noteDelay(of: segment.identity, .keyMissing)
        if let backlog, backlog.hasRead(line) { return }
        guard backlog == nil else {
            backlog?.noteWritten(at: line)
            return
        }
        entries.append(WaitingEntry(entry: .keyPending(segment), line: nil))
        boundMemory()
    }

    /// A segment does not wait for its key any more.
    mutating func keySettled(_ identity: SegmentIdentity) {
        guard let line = keyPendingLines.removeValue(forKey: identity) else { return }
        doneLines.append(line)
    }

    /// A segment will not come.
    ///
    /// - Returns: the loss to append to the journal; nil if the segment was given up before, which is there
    mutating func lost(_ segment: PlacedSegment, _ failure: FetchFailure) -> JournalEntry? {
        if backlog?.settle(segment.identity) ?? false {
            cueTags.giveUp(segment.identity)
        } else {
            let isExpected = publisher.expects(segment.identity)
            publisher.lost(segment, reason: failure.reason, note: failure.description)
            guard isExpected else { return nil }
        }
        return .loss(segment.loss(by: failure))
    }

    /// What comes from now on waits in the journal only, when enough is held in memory.
    private mutating func boundMemory() {
        guard backlog == nil,
            positions.count + entries.count >= Limits.heldFacts
                || publisher.pendingCount >= Limits.heldSegments
        else { return }
        backlog = Backlog(underWay: publisher.detachExpected())
    }
}

/// Back from the disk.
extension Publication {
    /// Lines that were wanted have come.
    ///
    /// - Returns: whether more can be read at once
    mutating func read(_ lines: [JournalLineRead], now: SteadyInstant) -> Bool {
        let isShort = lines.count < Limits.factsReadBack
        let facts = addReadBack(lines, now: now)
        backlog?.take(facts, upTo: lines.last?.position, isShort: isShort)
        release(now: now)
        return !isShort
    }

    /// Holds what was read and is not held or known already; gives the segments among it.
    private mutating func addReadBack(
        _ lines: [JournalLineRead], now: SteadyInstant,
    ) -> [SegmentFact] {
        let held = Set(entries.compactMap(\.line)).union(doneLines)
        var facts: [SegmentFact] = []
        for line in lines where !held.contains(line.position) {
            switch line.entry {
            case .segment(let fact) where fact.replaces != nil:
                addReadBackBetter(fact, at: line.position, &facts, now: now)
            case .segment(let fact) where fact.flags.contains(.late):
                if let fact = addReadBack(fact, at: line.position) { publisher.stored(fact, now: now) }
            case .segment(let fact):
                if let fact = addReadBack(fact, at: line.position) { facts.append(fact) }
            case .keyPending(let segment): addReadBack(segment, at: line.position)
            case .sourceRun, .loss, .marker, .rendition:
                entries.append(WaitingEntry(entry: line.entry, line: line.position))
            }
        }
        return facts
    }

    /// Better bytes take the place of those that are not published yet; else they are a repair.
    private mutating func addReadBackBetter(
        _ fact: SegmentFact, at line: JournalPosition, _ facts: inout [SegmentFact],
        now: SteadyInstant,
    ) {
        let lines = positions[fact.identity] ?? []
        if lines.dropLast().contains(line) { return }
        var better = fact.asFirst
        better.fence = fence
        if publisher.expects(fact.identity) {
            publisher.stored(better, now: now)
        } else if let index = facts.firstIndex(where: { $0.identity == fact.identity }) {
            facts[index] = better
        } else if backlog?.replace(better) != true {
            return entries.append(WaitingEntry(entry: .segment(fact), line: line))
        }
        if lines.last != line { positions[fact.identity] = lines + [line] }
    }

    /// A line for which no segment waits any more is done.
    private mutating func addReadBack(_ segment: KeyPendingSegment, at line: JournalPosition) {
        if keyPendingLines[segment.identity] == line {
            entries.append(WaitingEntry(entry: .keyPending(segment), line: nil))
        } else {
            doneLines.append(line)
        }
    }

    /// The same identity may stand twice after an append whose result was lost: one fact is enough.
    private mutating func addReadBack(_ fact: SegmentFact, at line: JournalPosition) -> SegmentFact? {
        if let lines = positions[fact.identity] {
            if !lines.contains(line) { positions[fact.identity] = [line] + lines }
            return nil
        }
        guard !known.contains(fact.identity) else {
            doneLines.append(line)
            return nil
        }
        positions[fact.identity] = [line]
        var fact = fact
        fact.fence = fence
        return fact
    }

    private mutating func release(now: SteadyInstant) {
        for (segment, fact) in backlog?.release() ?? [] {
            publisher.listed([segment], of: segment.identity.rendition, now: now)
            if keyPendingLines[segment.identity] != nil {
                publisher.noteDelay(of: segment.identity, .keyMissing)
            }
            if let fact { publisher.stored(fact, now: now) }
        }
        if backlog?.isAtEnd ?? false { (backlog, known) = (nil, []) }
    }
}

/// Into the catalogue.
extension Publication {
    /// Publishes what can be published, at most one batch of it; nil when there is nothing to enter.
    ///
    /// What `absent` renditions lack goes with it, with these reasons, when the watermark moves on.
    mutating func nextBatch(absent: [RenditionID: GapReason] = [:], now: SteadyInstant) -> PendingBatch? {
        if let pending { return pending }
        let otherEntries = entries.prefix(Limits.factsPerBatch)
        publisher.returning = backlog?.begin
        var decisions = publisher.advance(now: now, limit: Limits.factsPerBatch - otherEntries.count)
        cueTags.carry(into: &decisions)
        let head = PublishedHeadUpdate(
            discontinuitySequence: publisher.discontinuitySequence, end: publisher.end,
            watermark: publisher.watermark, targetSeconds: publisher.targetSeconds)
        if decisions.isEmpty && otherEntries.isEmpty && doneLines.isEmpty && head == lastHead {
            (isChanged, nextTimeout) = (false, publisher.nextTimeout(after: now))
            return nil
        }
        var batch = Batch(channel: channel, fence: fence, node: node, publishedHead: head)
        (batch.segments, batch.discontinuityStarts) = (decisions.segments, decisions.discontinuityStarts)
        (batch.losses, batch.lost, batch.listed) = (decisions.losses, decisions.lost, decisions.listed)
        let growing = head.watermark == lastHead?.watermark ? [] : publisher.absences(absent)
        batch.losses += growing
        for waiting in otherEntries { batch.add(waiting.entry) }
        pending = PendingBatch(
            batch: batch, otherEntries: Array(otherEntries), doneLines: doneLines, growing: growing,
            overdue: decisions.overdue,
            isFull: decisions.count + otherEntries.count >= Limits.factsPerBatch)
        entries.removeFirst(otherEntries.count)
        (doneLines, lastHead) = ([], head)
        return pending
    }

    /// The pending batch is in the catalogue: the lines that are done.
    mutating func entered() -> [JournalPosition] {
        guard let entered = pending else { return [] }
        pending = nil
        return entered.batch.segments.flatMap { positions.removeValue(forKey: $0.fact.identity) ?? [] }
            + entered.doneLines + entered.otherEntries.compactMap(\.line)
    }
}

extension SegmentFact {
    /// The same fact as if its bytes were the first ones.
    fileprivate var asFirst: SegmentFact {
        var fact = self
        fact.replaces = nil
        return fact
    }
}

extension Batch {
    /// Takes an entry of the journal; segments need a decision of their own.
    package mutating func add(_ entry: JournalEntry) {
        switch entry {
        case .segment(let fact):
            segments.append(DecidedSegment(fact: fact, number: nil, discontinuitySequence: nil))
        case .keyPending(let segment): keyPending.append(segment)
        case .sourceRun(let run): sourceRuns.append(run)
        case .loss(let loss): losses.append(loss)
        case .marker(let marker): markers.append(marker)
        case .rendition(let description): renditions.append(description)
        }
    }
}
