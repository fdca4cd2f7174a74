import Catalogue
import Concurrency
import Synchronization

/// Commits that were announced but are not in the cached head of their channel yet.
final class AnnouncedChanges: Sendable {
    private let changes = Mutex<[Int32: [PublishedHeadChange]]>([:])

    func note(_ change: PublishedHeadChange) {
        changes.withLock { changes in
            var own = changes[change.channel] ?? []
            own.append(change)
            if own.count > Limits.pendingChanges { own.removeFirst() }
            changes[change.channel] = own
        }
    }

    /// What all commits between two revisions touched.
    ///
    /// Nil if an announcement was missed or did not list its quarters.
    func touched(_ channel: Int32, after known: Int64?, upTo revision: Int64) -> Set<Quarter>? {
        let heard = changes.withLock { changes in
            let own = changes[channel] ?? []
            let later = own.filter { $0.revision > revision }
            changes[channel] = later.isEmpty ? nil : later
            return own
        }
        guard let known, known < revision, revision - known <= Limits.pendingChanges else { return nil }
        var quarters: Set<Quarter> = []
        for number in (known + 1)...revision {
            guard let touched = heard.first(where: { $0.revision == number })?.touched else { return nil }
            quarters.formUnion(touched)
        }
        return quarters
    }
}

/// Keeping the index up to date.
extension TimelineIndex {
    /// Listens for changes and also polls for them, until cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.listen() }
            group.addTask { await self.poll() }
        }
    }

    private func listen() async {
        await withDiscardingTaskGroup { group in
            for await change in catalogue.changes() {
                switch change {
                case .channel(let id):
                    directory.note(id)
                    channels.expire(id)
                case .publishedHead(let change):
                    guard heads.isInUse(change.channel), let known = heads.known(change.channel),
                        known.head.revision < change.revision
                    else { continue }
                    announced.note(change)
                    if refreshQueue.add(change.channel) { group.addTask { await self.refreshWaiting() } }
                case .anything:
                    channels.expireAll()
                    group.addTask { await self.pollChanges() }
                }
            }
        }
    }

    /// Reads the heads that wait for it, until none does.
    private func refreshWaiting() async {
        while let channel = refreshQueue.next() { await refreshHead(of: channel) }
    }

    private func refreshHead(of channel: Int32) async {
        await heads.refresh(channel) { await self.readHead(of: channel, $0) }
    }

    private func poll() async {
        while !Task.isCancelled {
            try? await clock.sleep(for: Limits.pollInterval)
            await pollChanges()
        }
    }

    /// Asks which of the channels in use have changed, reads those again, and confirms the others.
    private func pollChanges() async {
        await directory.refresh()
        await confirmChannels()
        for channel in await confirmHeads() { await refreshHead(of: channel) }
    }

    private func confirmChannels() async {
        let asked = clock.steady()
        let known = channels.inUse
        guard let changed = try? await catalogue.changedChannels(Array(known.values)) else { return }
        for (id, channel) in known where changed.contains(channel.row) { channels.expire(id) }
        channels.confirm(asOf: asked) { id, channel in
            known[id] == channel && !changed.contains(channel.row)
        }
    }

    /// Confirms the heads that are current, and returns the channels of the others.
    private func confirmHeads() async -> Set<Int32> {
        let asked = clock.steady()
        let revisions = heads.inUse.mapValues(\.head.revision)
        guard let changed = try? await catalogue.channels(changedSince: revisions) else { return [] }
        heads.confirm(asOf: asked) { channel, known in
            revisions[channel] == known.head.revision && !changed.contains(channel)
        }
        return changed
    }
}

/// Several serving nodes.
extension TimelineIndex {
    /// Brings the head of a channel up to what was committed before this call, if there are other serving
    /// nodes: a growing playlist is then never shorter than what another node has answered before.
    ///
    /// Requests share their questions: one statement for all channels, at most one in each
    /// `Limits.confirmationPause`. While the catalogue fails, or does not answer in
    /// `Limits.confirmationWait`, the head stays as it is.
    package func catchUp(_ channel: Int32) async {
        guard isShared, !heads.isFailing else { return }
        let arrived = clock.steady()
        if heads.asOf(channel) != nil {
            let isConfirmed = await confirmations.round(clock) { _ = await self.confirmHeads() }
            guard isConfirmed else { return }
        }
        if let asOf = heads.asOf(channel), asOf >= arrived { return }
        // It has changed, or is not known.
        let reading = Task { await refreshHead(of: channel) }
        _ = await reading.value(within: Limits.confirmationWait, by: clock)
    }
}
