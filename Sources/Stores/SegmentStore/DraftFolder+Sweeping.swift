import Files
import Glibc
import Logging

extension DraftFolder {
    /// Removes the files of openings that no living process holds.
    ///
    /// A lock of another host may look free although it is held, where the file system keeps locks on each
    /// host: its files are removed only when all of them are old.
    func sweep() throws(StoreError) {
        let names = try disk.list(path).filter { Self.token(of: $0) != nil }
        for (token, files) in Dictionary(grouping: names, by: { Self.token(of: $0) ?? "" }) {
            let isOwn = token.hasPrefix(Self.hostDigits)
            guard isOwn ? true : try areOld(files) else { continue }
            try removeIfAbandoned(token, files)
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

    private func removeIfAbandoned(_ token: String, _ files: [String]) throws(StoreError) {
        let lockName = "\(token).lock"
        do throws(StoreError) {
            let lock = try disk.open("\(path)/\(lockName)", O_RDWR)
            guard try lock.tryLock() else { return }
            try remove(files.filter { $0 != lockName } + [lockName])
        } catch .system(.open, _, ENOENT) {
            // A lock is made before the drafts: these have lost theirs.
            try remove(files)
        }
    }

    private func remove(_ names: [String]) throws(StoreError) {
        for name in names where try disk.remove("\(path)/\(name)") {
            logger.info("removed what a crash had left", metadata: ["file": "\(name)"])
        }
    }

    /// The token in `{token}.lock` and `{token}-{number}.part`; nil for any other name.
    private static func token(of name: String) -> String? {
        guard name.hasSuffix(".lock") || name.hasSuffix(".part") else { return nil }
        let token = name.dropLast(5).prefix { $0 != "-" }
        return token.utf8.count == 16 && token.allSatisfy(\.isHexDigit) ? String(token) : nil
    }
}
