import Synchronization
import Timeline

/// Files of the archive that stay open for the next request.
///
/// The bytes of a name never change, so an open file is valid while its name exists. This process closes
/// what it deletes. What another process deletes is closed after a while, because an open file keeps its
/// space on the disk.
final class OpenFiles: Sendable {
    fileprivate struct Entry {
        var key: ArchiveKey
        var file: ArchiveFile
        var opened: Int
        var used: Int
        /// Whether it was requested since the hand of the clock algorithm last passed it.
        var isTouched = false
    }

    fileprivate struct State {
        /// In no order: a new file takes the place of one that was not asked for lately.
        var entries: [Entry] = []
        var places: [ArchiveKey: Int] = [:]
        var hand = 0
    }

    private let limit: Int
    private let state = Mutex(State())
    private let rounds = Atomic(0)

    /// Keeps at most `limit` files open, at least one.
    init(limit: Int) {
        self.limit = max(limit, 1)
    }

    /// The file of a key, if it is open.
    func file(_ key: ArchiveKey) -> ArchiveFile? {
        let round = round
        return state.withLock { $0.use(key, in: round) }
    }

    /// Keeps a file open that was opened because it was not.
    func keep(_ file: ArchiveFile, for key: ArchiveKey) {
        let round = round
        let previous = state.withLock { $0.keep(file, for: key, in: round, limit: limit) }
        // The last owner closes a file, which may wait for the disk: not under the lock.
        withExtendedLifetime(previous) {}
    }

    /// The calls of `closeOld`: about one a second.
    var round: Int { rounds.load(ordering: .relaxed) }

    var count: Int { state.withLock { $0.entries.count } }

    /// Closes a deleted object once nothing sends it any more.
    func close(_ key: ArchiveKey) {
        let previous = state.withLock { state in state.places[key].map { state.remove($0) } }
        withExtendedLifetime(previous) {}
    }

    /// Closes what was opened, or last used, some rounds ago; to be called about once a second.
    func closeOld() {
        let round = rounds.add(1, ordering: .relaxed).newValue
        closeAll { round - $0.opened >= Limits.openFileRounds || round - $0.used >= Limits.unusedFileRounds }
    }

    private func closeAll(where isOver: (Entry) -> Bool) {
        let previous = state.withLock { state in
            state.entries.indices.reversed().filter { isOver(state.entries[$0]) }.map { state.remove($0) }
        }
        withExtendedLifetime(previous) {}
    }
}

extension OpenFiles.State {
    fileprivate mutating func use(_ key: ArchiveKey, in round: Int) -> ArchiveFile? {
        guard let place = places[key] else { return nil }
        entries[place].used = round
        entries[place].isTouched = true
        return entries[place].file
    }

    /// Returns the file whose place was taken.
    fileprivate mutating func keep(
        _ file: ArchiveFile, for key: ArchiveKey, in round: Int, limit: Int,
    ) -> ArchiveFile? {
        let entry = OpenFiles.Entry(key: key, file: file, opened: round, used: round)
        if let place = places[key] {
            let previous = entries[place].file
            entries[place] = entry
            return previous
        }
        guard entries.count >= limit else {
            places[key] = entries.count
            entries.append(entry)
            return nil
        }
        // The loop ends, because the hand clears the mark of each file that it passes.
        hand %= entries.count
        while entries[hand].isTouched {
            entries[hand].isTouched = false
            hand = (hand + 1) % entries.count
        }
        let previous = entries[hand]
        places[previous.key] = nil
        places[key] = hand
        entries[hand] = entry
        hand += 1
        return previous.file
    }

    /// Removes the file at an index, to which the last file moves.
    fileprivate mutating func remove(_ place: Int) -> ArchiveFile {
        let previous = entries[place]
        places[previous.key] = nil
        let last = entries.removeLast()
        if place < entries.count {
            entries[place] = last
            places[last.key] = place
        }
        return previous.file
    }
}
