import Synchronization
import Timeline

/// Files of the archive that stay open for the next request.
///
/// A name never changes its bytes, so an open file is right as long as its name is there. This process closes
/// what it deletes. What another process deletes is closed after a while, because an open file keeps its
/// space on the disk.
final class OpenFiles: Sendable {
    private struct Entry {
        var file: ArchiveFile
        var opened: Int
        var used: Int
    }

    private struct State {
        var entries: [ArchiveKey: Entry] = [:]
        /// Calls of `closeOld`.
        var round = 0
    }

    private let state = Mutex(State())

    /// The open file of a key, opened if it is not.
    func file(
        _ key: ArchiveKey, open: () throws(StoreError) -> ArchiveFile
    ) throws(StoreError) -> ArchiveFile {
        let known = state.withLock { state in
            state.entries[key]?.used = state.round
            return state.entries[key]?.file
        }
        if let known { return known }
        let file = try open()
        state.withLock { state in
            if state.entries.count >= Limits.openFiles { Self.makeSpace(&state) }
            state.entries[key] = Entry(file: file, opened: state.round, used: state.round)
        }
        return file
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// Closes a deleted object once nothing sends it any more.
    func close(_ key: ArchiveKey) {
        state.withLock { $0.entries[key] = nil }
    }

    func closeAll(of channel: ChannelID) {
        state.withLock { state in state.entries = state.entries.filter { $0.key.channel != channel } }
    }

    /// Closes what was opened, or last used, some rounds ago; to be called about once a second.
    func closeOld() {
        state.withLock { state in
            state.round += 1
            let round = state.round
            state.entries = state.entries.filter {
                round - $0.value.opened < Limits.openFileRounds
                    && round - $0.value.used < Limits.unusedFileRounds
            }
        }
    }

    /// Closes the half that was not used for longest.
    private static func makeSpace(_ state: inout State) {
        let used = state.entries.values.map(\.used).sorted()
        let middle = used[used.count / 2]
        state.entries = state.entries.filter { $0.value.used > middle }
    }
}
