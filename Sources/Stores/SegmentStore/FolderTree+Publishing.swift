import Digest
import Files
import Glibc
import Timeline

/// A temporary file that is written to its end and synced.
struct SealedFile {
    var path: String
    var byteCount: Int64
    var digest: [UInt8]
}

extension FolderTree {
    /// Puts a file under its final name, or under the next revision that other bytes do not hold, durably.
    ///
    /// Starts over, at most `Limits.placements` times, when retention removes the folders in between.
    ///
    /// Where names are synced together, the folder of a new one is not synced here.
    func publish(
        _ file: SealedFile, as key: ArchiveKey, path: String, isSynced: Bool = true,
    ) throws(StoreError) -> CommittedObject {
        for _ in 1..<Limits.placements {
            do throws(StoreError) {
                return try publishOnce(file, as: key, path: path, isSynced)
            } catch .system(_, _, ENOENT) {
                invalidateFolders(ofFile: path)
            }
        }
        return try publishOnce(file, as: key, path: path, isSynced)
    }

    private func publishOnce(
        _ file: SealedFile, as key: ArchiveKey, path: String, _ isSynced: Bool,
    ) throws(StoreError) -> CommittedObject {
        var (key, path) = (key, path)
        try prepareFolder(ofFile: path, isSecret: key.isSecret)
        for _ in 0..<Limits.revisions {
            if try place(file, at: path, isSynced) { return file.committed(as: key) }
            let isHeld = key.isNamedByDigest ? true : try holds(file, at: path)
            if isHeld {
                try disk.syncFolder(Self.parent(of: self.path(of: path)))
                return file.committed(as: key, wasThere: true)
            }
            guard let next = key.nextRevision else { break }
            key = next
            path = try next.checkedPath()
        }
        throw .tooManyRevisions(key)
    }

    /// Links the file to its final name; false if the name is taken.
    private func place(
        _ file: SealedFile, at relative: String, _ isSynced: Bool,
    ) throws(StoreError) -> Bool {
        let name = path(of: relative)
        guard try disk.link(file.path, to: name) else { return false }
        if !isSynced { return true }
        do throws(StoreError) {
            try disk.syncFolder(Self.parent(of: name))
        } catch {
            try removeNotDurable(name)
            throw error
        }
        return true
    }

    /// Removes a final name that a crash may lose, so that a second attempt does not take it for durable.
    func removeNotDurable(_ name: String) throws(StoreError) {
        try disk.remove(name)
    }

    /// Whether the name has the same bytes.
    private func holds(_ file: SealedFile, at relative: String) throws(StoreError) -> Bool {
        do throws(StoreError) {
            let other = try disk.open(path(of: relative), O_RDONLY | O_NOFOLLOW)
            guard try Int64(other.status().st_size) == file.byteCount else { return false }
            return try other.digest(byteCount: file.byteCount) == file.digest
        } catch .system(_, _, ENOENT) {
            return false
        }
    }
}

extension SealedFile {
    fileprivate func committed(as key: ArchiveKey, wasThere: Bool = false) -> CommittedObject {
        CommittedObject(key: key, byteCount: byteCount, digest: digest, wasThere: wasThere)
    }
}

extension DescriptorHandle<StoreError> {
    /// SHA-256 of the first bytes of the file.
    fileprivate func digest(byteCount: Int64) throws(StoreError) -> [UInt8] {
        do {
            var hash = try SHA256()
            var offset: Int64 = 0
            while offset < byteCount {
                let piece = try read(at: offset, upTo: Limits.comparisonByteCount)
                if piece.isEmpty { break }
                try hash.update(piece)
                offset += Int64(piece.count)
            }
            return try hash.finish()
        } catch let error as StoreError {
            throw error
        } catch {
            throw .digest("\(error)")
        }
    }
}
