import Concurrency
import Files
import Glibc
import Logging
import Synchronization
import Timeline

/// Makes names of the archive durable: those of many folders by one sync of the folder of drafts.
///
/// A committed file keeps its name as a draft, which says where it belongs, until the folder with its final
/// name is synced, every two minutes. After a crash the next opening of the archive gives it that name
/// again. Works on a thread of its own, which waits between two syncs, so that names gather meanwhile.
actor NameSync {
    private struct Placed {
        /// Paths of the drafts of files in the folder.
        var drafts: [String]
        var since: SteadyInstant
    }

    private let drafts: String
    private let tree: FolderTree
    private let pause: Duration
    private let folderInterval: Duration
    private let logger: Logger
    private let thread = BlockingExecutor(label: "segment-names")
    private nonisolated let requests = Mutex(0)
    /// The last syncs: the number of the last request that each included, and its error, if any.
    private var syncs: [(last: Int, error: StoreError?)] = []
    private var pausedUntil: SteadyInstant?
    /// What waits for the sync of its folder, by the folder's path.
    private var placed: [String: Placed] = [:]

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    init(drafts: String, tree: FolderTree, pause: Duration, folderInterval: Duration, logger: Logger) {
        (self.drafts, self.tree, self.logger) = (drafts, tree, logger)
        (self.pause, self.folderInterval) = (pause, folderInterval)
    }

    /// Makes a draft durable whose file has its final name in a folder.
    nonisolated func place(_ draft: String, in folder: String) async throws(StoreError) {
        let number = requests.withLock { requests in
            requests += 1
            return requests
        }
        try await sync(number)
        await add(draft, folder)
    }

    private func sync(_ number: Int) throws(StoreError) {
        if syncs.last.map({ $0.last < number }) ?? true { sync() }
        // A sync that failed is not tried again: the system may have dropped what it could not write.
        if let error = syncs.first(where: { $0.last >= number })?.error { throw error }
    }

    private func sync() {
        if let rest = pausedUntil.map({ $0 - .now }), rest > .zero {
            usleep(UInt32(clamping: rest.wholeMicroseconds))
        }
        let last = requests.withLock { $0 }
        var failure: StoreError?
        do throws(StoreError) { try tree.disk.syncFolder(drafts) } catch { failure = error }
        syncs.append((last, failure))
        if syncs.count > Limits.keptSyncs { syncs.removeFirst() }
        pausedUntil = .now + min(pause * placed.count, Limits.longestNamePause)
        syncFolders()
    }

    private func add(_ draft: String, _ folder: String) {
        placed[folder, default: Placed(drafts: [], since: .now)].drafts.append(draft)
    }

    /// Syncs the folders whose names have waited for the folder interval, and then removes their drafts.
    private func syncFolders() {
        let due = SteadyInstant.now - folderInterval
        for (folder, waiting) in placed where waiting.since <= due {
            do throws(StoreError) {
                if try sync(folder) {
                    for draft in waiting.drafts { try tree.disk.remove(draft) }
                }
                placed[folder] = nil
            } catch {
                placed[folder]?.since = .now
                logger.warning("Cannot sync a folder of the archive yet", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Whether a folder's names are durable, or it is gone.
    ///
    /// A sync that failed is not tried again: the system says once that it could not write, and may have
    /// dropped what it could not. The drafts of those names stay until the next opening.
    private func sync(_ folder: String) throws(StoreError) -> Bool {
        do throws(StoreError) {
            try tree.disk.syncFolder(folder)
            return true
        } catch .system(.open, _, ENOENT) {
            // Retention has removed it.
            return true
        } catch .system(.open, let path, let number) {
            throw .system(.open, path: path, number: number)
        } catch {
            logger.error(
                "Cannot sync a folder of the archive; its drafts stay", metadata: ["error": "\(error)"])
            return false
        }
    }
}
