import Catalogue
import Concurrency
import Journal
import Logging
import Timeline

/// Between the journal and the publisher: what is held in memory is bounded, what is beyond waits on the disk.
extension ChannelRecorder {
    // MARK: Live

    /// Listed segments wait for their bytes in the publisher, or behind what waits in the journal.
    func expect(_ segments: [ListedSegment]) {
        guard backlog == nil else {
            backlog?.list(segments.map(\.slot))
            return
        }
        guard let rendition = segments.first?.identity.rendition else { return }
        publisher.listed(segments.map(\.slot), of: rendition, now: parts.clock.steady())
        boundMemory()
    }

    /// A segment's line is written: the publisher gets the fact, unless it is read back in its turn.
    func hold(_ fact: SegmentFact, at line: JournalPosition) {
        if let backlog, backlog.hasRead(line) { return }
        if backlog != nil, !publisher.expects(fact.identity) {
            _ = backlog?.settle(fact.identity)
            backlog?.left(at: line)
            return
        }
        let earlier = positions.updateValue(line, forKey: fact.identity)
        // It was read back before whoever wrote it was told so.
        if earlier == line { return }
        if let earlier { doneLines.append(earlier) }
        publisher.stored(fact, now: parts.clock.steady())
        boundMemory()
    }

    /// Makes durable what was decided besides segments, and hands it to the next batch.
    ///
    /// Segments do not depend on it: a journal that cannot be written now says so again with the first of them.
    func journalNews() async {
        let news = unjournalled
        guard !news.isEmpty else { return }
        unjournalled = []
        do {
            let lines = try await journal.append(news)
            for (entry, line) in zip(news, lines) { hold(entry, at: line) }
        } catch {
            logger.warning("What was decided is not in the journal", metadata: ["cause": "\(error)"])
            let room = max(0, Limits.heldFacts - entries.count)
            entries += news.prefix(room).map { WaitingEntry(entry: $0, line: nil) }
        }
    }

    /// The line of a segment that waits for its key outlives the batch.
    func hold(_ entry: JournalEntry, at line: JournalPosition) {
        if let backlog, backlog.hasRead(line) { return }
        guard backlog == nil else {
            backlog?.left(at: line)
            return
        }
        entries.append(WaitingEntry(entry: entry, line: entry.isKeyPending ? nil : line))
        boundMemory()
    }

    /// What comes from now on waits in the journal only, when enough is held in memory.
    private func boundMemory() {
        guard backlog == nil,
            positions.count + entries.count >= Limits.heldFacts
                || publisher.slotCount >= Limits.heldSlots
        else { return }
        logger.notice("Facts wait in the journal until the catalogue has taken those before them")
        backlog = Backlog(underWay: publisher.detachExpected())
    }

    // MARK: Back from the disk

    /// Reads on in the journal as far as there is room in memory, and publishes from there.
    ///
    /// - Returns: whether more can be read at once
    func readBack() async throws(JournalError) -> Bool {
        guard let backlog, publisher.awaitsReturning || hasRoom else { return false }
        let lines = try await journal.replay(after: backlog.cursor, limit: Limits.factsReadBack)
        let isShort = lines.count < Limits.factsReadBack
        self.backlog?.take(takeBack(lines), upTo: lines.last?.0, isShort: isShort)
        release()
        return !isShort
    }

    private var hasRoom: Bool {
        positions.count + entries.count + Limits.factsReadBack <= Limits.heldFacts
    }

    /// Holds what was read and is not held or known already; gives the segments among it.
    private func takeBack(_ lines: [(JournalPosition, JournalEntry)]) -> [SegmentFact] {
        let held = Set(entries.compactMap(\.line)).union(doneLines)
        return lines.compactMap { line, entry in
            if held.contains(line) { return nil }
            switch entry {
            case .segment(let fact): return takeBack(fact, at: line)
            case .keyPending(let segment): takeBack(segment, at: line)
            case .sourceRun, .loss, .rendition: entries.append(WaitingEntry(entry: entry, line: line))
            }
            return nil
        }
    }

    /// A line that no segment waits by any more is done.
    private func takeBack(_ segment: KeyPendingSegment, at line: JournalPosition) {
        if keyPendings.lines[segment.identity] == line {
            entries.append(WaitingEntry(entry: .keyPending(segment), line: nil))
        } else {
            doneLines.append(line)
        }
    }

    /// The same identity may stand twice after an append whose result was lost: one fact is enough.
    private func takeBack(_ fact: SegmentFact, at line: JournalPosition) -> SegmentFact? {
        if let other = positions[fact.identity] {
            if other != line { doneLines.append(line) }
            return nil
        }
        guard !known.contains(fact.identity) else {
            doneLines.append(line)
            return nil
        }
        positions[fact.identity] = line
        var fact = fact
        fact.fence = lease.fence
        return fact
    }

    private func release() {
        let now = parts.clock.steady()
        for (slot, fact) in backlog?.release() ?? [] {
            publisher.listed([slot], of: slot.identity.rendition, now: now)
            if keyPendings.lines[slot.identity] != nil { publisher.waits(slot.identity, for: .keyMissing) }
            if let fact { publisher.stored(fact, now: now) }
        }
        if backlog?.isAtEnd ?? false { (backlog, known) = (nil, []) }
    }
}

/// An entry besides segments on its way from the journal to the catalogue; without a line if it could not be written.
struct WaitingEntry: Sendable {
    var entry: JournalEntry
    var line: JournalPosition?
}

extension JournalEntry {
    fileprivate var isKeyPending: Bool { if case .keyPending = self { true } else { false } }
}
