import Files
import Glibc
import Logging

extension DraftFolder {
    /// Removes the files of openings that no living process holds.
    ///
    /// Some file systems keep locks per host: a lock of another host may look free although it is held. Its
    /// files are removed only when all of them are old. Committed drafts always get their names in the
    /// archive again.
    func sweep(_ tree: FolderTree?) throws(StoreError) {
        let names = try disk.list(path).filter { Self.token(of: $0) != nil }
        for (token, files) in Dictionary(grouping: names, by: { Self.token(of: $0) ?? "" }) {
            let isOwn = token.hasPrefix(Self.hostDigits)
            guard isOwn ? true : try areOld(files) else {
                restore(files, tree)
                continue
            }
            try removeIfAbandoned(token, files, tree)
        }
    }

    private func areOld(_ files: [String]) throws(StoreError) -> Bool {
        let opened = try openedSeconds()
        for file in files {
            do throws(StoreError) {
                let changed = try disk.open("\(path)/\(file)", O_RDONLY).status().st_mtim.tv_sec
                if opened - changed < Limits.foreignDraftSeconds { return false }
            } catch .system(.open, _, ENOENT) {
                // It is gone already.
            }
        }
        return true
    }

    private func removeIfAbandoned(
        _ token: String, _ files: [String], _ tree: FolderTree?,
    ) throws(StoreError) {
        let lockName = "\(token).lock"
        do throws(StoreError) {
            let lock = try disk.open("\(path)/\(lockName)", O_RDWR)
            guard try lock.tryLock() else { return }
            try remove(files.filter { $0 != lockName } + [lockName], tree)
        } catch .system(.open, _, ENOENT) {
            // A lock is made before the drafts: these have lost theirs.
            try remove(files, tree)
        }
    }

    /// Removes files in parts, so that an opening that is interrupted leaves less to the next one.
    private func remove(_ names: [String], _ tree: FolderTree?) throws(StoreError) {
        for first in stride(from: 0, to: names.count, by: Limits.draftsAtOnce) {
            let part = Array(names[first..<min(first + Limits.draftsAtOnce, names.count)])
            let unrestored = restore(part, tree)
            for name in part where !unrestored.contains(name) {
                guard try disk.remove("\(path)/\(name)"), Self.committedPath(in: name) == nil else {
                    continue
                }
                logger.info("Removed a temporary file of a crash", metadata: ["file": "\(name)"])
            }
        }
    }

    /// Gives the files of committed drafts their names in the archive, where they are missing.
    ///
    /// Thousands may lie in a few hundred folders: each folder is synced once.
    ///
    /// - Returns: the drafts that have no durable name yet; they stay for the next opening
    @discardableResult
    private func restore(_ names: [String], _ tree: FolderTree?) -> Set<String> {
        guard let tree else { return [] }
        var unrestored: Set<String> = []
        var named: [String: [String]] = [:]
        for name in names {
            guard let relative = Self.committedPath(in: name) else { continue }
            do throws(StoreError) {
                named[try tree.restore("\(path)/\(name)", as: relative), default: []].append(name)
            } catch .system(.link, _, ENOENT) {
                // Its process is alive and has synced the folder meanwhile.
            } catch {
                unrestored.insert(name)
                logUnrestored([name], error)
            }
        }
        for (folder, names) in named {
            do throws(StoreError) {
                try disk.syncFolder(folder)
            } catch {
                unrestored.formUnion(names)
                logUnrestored(names, error)
            }
        }
        return unrestored
    }

    private func logUnrestored(_ names: [String], _ error: StoreError) {
        logger.error(
            "Cannot name committed files yet",
            metadata: ["file": "\(names[0])", "count": "\(names.count)", "error": "\(error)"])
    }

    /// Where the file of a committed draft belongs, below the root; nil for any other draft.
    static func committedPath(in name: String) -> String? {
        guard name.hasSuffix(ending) else { return nil }
        let parts = name.dropLast(ending.count).split(separator: "~", omittingEmptySubsequences: false)
            .dropFirst()
        guard parts.count > 1, parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }) else { return nil }
        return parts.joined(separator: "/")
    }

    /// The token in `{token}.lock` and `{token}-{number}.part`; nil for any other name.
    private static func token(of name: String) -> String? {
        guard name.hasSuffix(".lock") || name.hasSuffix(".part") else { return nil }
        let token = name.dropLast(5).prefix { $0 != "-" }
        return token.utf8.count == 16 && token.allSatisfy(\.isHexDigit) ? String(token) : nil
    }
}
