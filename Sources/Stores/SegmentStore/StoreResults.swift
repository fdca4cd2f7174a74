package import Timeline

/// An object that is whole and durable in the archive.
package struct CommittedObject: Sendable, Equatable {
    /// With the revision that it really has.
    package var key: ArchiveKey
    package var byteCount: Int64
    /// SHA-256 of the bytes.
    package var digest: [UInt8]
    /// The archive held the same bytes under this name before.
    package var wasThere: Bool

    package init(key: ArchiveKey, byteCount: Int64, digest: [UInt8], wasThere: Bool) {
        self.key = key
        self.byteCount = byteCount
        self.digest = digest
        self.wasThere = wasThere
    }
}

/// What a deletion freed.
package struct Deleted: Sendable, Equatable {
    package var files: Int
    package var bytes: Int64

    package init(files: Int = 0, bytes: Int64 = 0) {
        self.files = files
        self.bytes = bytes
    }
}

/// The space that a store has for objects, in bytes.
package struct StorageSpace: Sendable, Equatable {
    package var totalBytes: Int64
    /// What this process may still write; of a file system without the part kept for the superuser.
    package var availableBytes: Int64
    /// Files that this process may still create; nil where there is no limit.
    package var availableFiles: Int64?

    package init(totalBytes: Int64, availableBytes: Int64, availableFiles: Int64? = nil) {
        self.totalBytes = totalBytes
        self.availableBytes = availableBytes
        self.availableFiles = availableFiles
    }
}
