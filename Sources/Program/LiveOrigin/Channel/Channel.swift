import Synchronization

/// A channel that one publisher writes and many requests read.
final class Channel: Sendable {
    let name: String
    let state: Mutex<ChannelState>
    private let ledger: Ledger

    init(name: String, options: ChannelOptions, ledger: Ledger) {
        self.name = name
        self.ledger = ledger
        state = Mutex(ChannelState(name: name, options: options))
    }

    /// Publishes a segment: number, bytes, ledger, and then the playlist.
    ///
    /// Called by one task only.
    func publish(_ source: SourceSegment, now: Double) throws {
        guard let plan = state.withLock({ $0.plan(source) }) else { return }
        try ledger.append(try entry(plan, now: now))
        state.withLock { $0.list(plan, now: now) }
    }

    /// The commands since the last call.
    func removeCommands() -> [PublisherCommand] {
        state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
    }

    private func entry(_ plan: ChannelState.Plan, now: Double) throws -> LedgerEntry {
        let clear = plan.segment.clearBytes()
        let served = try plan.segment.cipher.map { try $0.encrypted(clear) } ?? clear
        let clearDigest = try Fingerprint.sha256(clear)
        return LedgerEntry(
            channel: name, rendition: plan.rendition, sourceRun: plan.segment.stamp.sourceRun,
            number: plan.listing.number,
            uri: "/\(name)/\(plan.listing.uri)", duration: plan.listing.durationSeconds,
            programDateTime: DateText.rfc3339(seconds: plan.date),
            sha256: plan.segment.cipher == nil ? clearDigest : try Fingerprint.sha256(served),
            clearSha256: clearDigest, bytes: served.count, listedAt: (now * 1000).rounded() / 1000,
            discontinuity: plan.listing.isDiscontinuity, encrypted: plan.segment.cipher != nil,
            gap: plan.listing.isGap, served: plan.isServed)
    }
}
