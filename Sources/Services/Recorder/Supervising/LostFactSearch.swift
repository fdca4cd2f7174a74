import Catalogue
import Journal
import Logging
import Timeline

/// Checks in rounds whether the catalogue still has the facts that it accepted.
///
/// A catalogue loses the facts that it took last before the loss, however many it has taken since. A round
/// therefore compares all facts since the round before, and the newest ones of that round. The first round
/// after a start compares more: facts may have been lost, and others entered after them.
///
/// A round takes one statement for the channels, and one for each `Limits.comparedPerStatement` facts.
struct LostFactSearch: Sendable {
    private struct Progress {
        /// Behind which the next look begins; nil where the journal keeps little.
        var cursor: JournalPosition?
        /// What the catalogue has refused to take again.
        var refused: Set<SegmentIdentity> = []
    }

    /// What a round has found so far.
    private struct Findings {
        var cursors: [Int32: JournalPosition?] = [:]
        var asked: [Int32: [PlacedSegment]] = [:]
        var askedCount = 0
        var missing: [Int32: [PlacedSegment]] = [:]
    }

    private let dependencies: RecorderDependencies
    private let logger: Logger
    private var channels: [Int32: Progress] = [:]

    init(dependencies: RecorderDependencies, logger: Logger) {
        self.dependencies = dependencies
        self.logger = logger
    }

    /// Compares the facts of all channels, and enters again those that the catalogue has lost.
    ///
    /// An error is logged; the next round finds the same facts again.
    ///
    /// - Returns: how many facts were entered
    @discardableResult
    mutating func round() async -> Int {
        do {
            let known = try await dependencies.catalogue.everyChannel()
            let findings = try await look(at: known)
            channels = channels.filter { row, _ in findings.cursors[row] != nil }
            var entered = 0
            for channel in known {
                guard let cursor = findings.cursors[channel.row] else { continue }
                do {
                    let (count, refused) = try await repair(channel, findings.missing[channel.row] ?? [])
                    entered += count
                    channels[channel.row] = Progress(cursor: cursor, refused: refused)
                } catch {
                    warn(error, of: channel)
                }
            }
            return entered
        } catch {
            warn(error, of: nil)
            return 0
        }
    }

    /// What is missing of a channel although it was tried to enter it again.
    func refused(of row: Int32) -> Set<SegmentIdentity> { channels[row]?.refused ?? [] }

    private func look(at known: [Channel]) async throws -> Findings {
        var findings = Findings()
        for channel in known {
            do {
                try await look(at: channel, &findings)
            } catch let error as JournalError {
                warn(error, of: channel)
            }
        }
        try await compare(&findings)
        return findings
    }

    private func look(at channel: Channel, _ findings: inout Findings) async throws {
        let journal = try dependencies.journal.channel(channel.id)
        guard let progress = channels[channel.row] else {
            let lines = try await journal.newestEntered(count: Limits.firstCompared)
            let cursor = lines.dropLast(Limits.comparedFacts).last?.0
            try await ask(lines, of: channel, &findings)
            return findings.cursors[channel.row] = .some(cursor)
        }
        var nextCursor = progress.cursor
        var newest: [JournalPosition] = []
        var cursor = nextCursor
        while true {
            let lines = try await journal.replayEntered(after: cursor, limit: Limits.comparedPerRead)
            try await ask(lines, of: channel, &findings)
            newest += lines.map(\.0)
            if newest.count > Limits.comparedFacts {
                newest.removeFirst(newest.count - Limits.comparedFacts - 1)
                nextCursor = newest.removeFirst()
            }
            guard let last = lines.last, lines.count == Limits.comparedPerRead else { break }
            cursor = last.0
        }
        findings.cursors[channel.row] = .some(nextCursor)
    }

    private func ask(
        _ lines: [(JournalPosition, JournalEntry)], of channel: Channel, _ findings: inout Findings,
    ) async throws {
        let segments = lines.compactMap { $0.1.fact?.placed }
        findings.asked[channel.row, default: []] += segments
        findings.askedCount += segments.count
        if findings.askedCount >= Limits.comparedPerStatement { try await compare(&findings) }
    }

    private func compare(_ findings: inout Findings) async throws {
        for (row, missing) in try await dependencies.catalogue.missing(findings.asked) {
            let segments = (findings.asked[row] ?? []).filter { missing.contains($0.identity) }
            findings.missing[row, default: []] += segments
        }
        (findings.asked, findings.askedCount) = ([:], 0)
    }

    /// - Returns: how many facts were entered, and what is still missing
    private func repair(
        _ channel: Channel, _ missing: [PlacedSegment],
    ) async throws -> (entered: Int, refused: Set<SegmentIdentity>) {
        let known = Set(missing.map(\.identity)).intersection(refused(of: channel.row))
        guard missing.contains(where: { !known.contains($0.identity) }) else { return (0, known) }
        let entered = try await LostFactRepair(
            channel: channel, dependencies: dependencies, logger: logger(of: channel)
        )
        .repair()
        return (entered, try await dependencies.catalogue.missing([channel.row: missing])[channel.row] ?? [])
    }

    private func logger(of channel: Channel) -> Logger {
        var logger = logger
        logger[metadataKey: "channel"] = "\(channel.id)"
        return logger
    }

    private func warn(_ error: any Error, of channel: Channel?) {
        guard !Task.isCancelled else { return }
        (channel.map(logger(of:)) ?? logger).warning(
            "Cannot compare catalogue and journal", metadata: ["error": "\(error)"])
    }
}
