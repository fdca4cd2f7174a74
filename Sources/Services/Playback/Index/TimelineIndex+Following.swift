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
            group.addTask { await self.hear() }
            group.addTask { await self.poll() }
        }
    }

    private func hear() async {
        for await change in catalogue.changes() { await follow(change) }
    }

    private func follow(_ change: CatalogueChange) async {
        switch change {
        case .channel(let id):
            directory.note(id)
            channels.expire(id)
        case .publishedHead(let change):
            guard let known = heads.known(change.channel), known.head.revision < change.revision else {
                return
            }
            announced.note(change)
            await renewHead(of: change.channel)
        case .anything:
            channels.expireAll()
            await lookAround()
        }
    }

    private func renewHead(of channel: Int32) async {
        await heads.renew(channel) { await self.readHead(of: channel, $0) }
    }

    private func poll() async {
        while !Task.isCancelled {
            try? await clock.sleep(for: Limits.pollInterval)
            await lookAround()
        }
    }

    /// Asks which of the cached channels have changed, and confirms the others.
    private func lookAround() async {
        await directory.renew()
        let asked = clock.steady()
        let revisions = heads.all.mapValues(\.head.revision)
        guard let changed = try? await catalogue.channels(changedSince: revisions) else { return }
        heads.confirm(asOf: asked) { channel, known in
            revisions[channel] == known.head.revision && !changed.contains(channel)
        }
        for channel in changed { await renewHead(of: channel) }
    }
}
