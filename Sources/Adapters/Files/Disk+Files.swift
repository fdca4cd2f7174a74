import Glibc

extension Disk {
    /// The bytes of a file from an offset on, at most this many; nil when it does not exist.
    package func read(
        _ path: String, from offset: Int64 = 0, upTo limit: Int64,
    ) throws(Failure) -> [UInt8]? {
        let number = try attempt(.open, path, tolerating: [ENOENT]) {
            unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        }
        guard number >= 0 else { return nil }
        let file = DescriptorHandle<Failure>(owning: number, path: path)
        try check(.read, path)
        let rest = try max(0, Int64(file.status().st_size) - offset)
        return try file.read(at: offset, upTo: Int(min(rest, limit)))
    }

    /// The bytes of a file of any kind, also of a pipe, until its end, at most this many; nil when it does
    /// not exist.
    ///
    /// Waits for what writes into a pipe.
    package func readToEnd(_ path: String, upTo limit: Int) throws(Failure) -> [UInt8]? {
        let number = try attempt(.open, path, tolerating: [ENOENT]) {
            unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        }
        guard number >= 0 else { return nil }
        let file = DescriptorHandle<Failure>(owning: number, path: path)
        try check(.read, path)
        return try file.readToEnd(upTo: limit)
    }

    /// The length of a file, of a link itself; nil when the file or a folder on its path does not exist.
    package func byteCount(of path: String) throws(Failure) -> Int64? {
        var status = stat()
        let result = try attempt(.measure, path, tolerating: [ENOENT, ENOTDIR]) {
            unsafe lstat(path, &status)
        }
        return result == 0 ? Int64(status.st_size) : nil
    }

    /// How many names a file has; nil when it or a folder on its path does not exist.
    package func nameCount(of path: String) throws(Failure) -> Int? {
        var status = stat()
        let result = try attempt(.measure, path, tolerating: [ENOENT, ENOTDIR]) {
            unsafe lstat(path, &status)
        }
        return result == 0 ? Int(status.st_nlink) : nil
    }

    /// When a file was last written, or the time that it was given, seconds since 1970; nil when it does not
    /// exist.
    package func time(of path: String) throws(Failure) -> Int64? {
        var status = stat()
        let result = try attempt(.measure, path, tolerating: [ENOENT]) { unsafe lstat(path, &status) }
        return result == 0 ? Int64(status.st_mtim.tv_sec) : nil
    }

    /// Gives a file a time, seconds since 1970.
    package func setTime(_ seconds: Int64, of path: String) throws(Failure) {
        let time = timespec(tv_sec: Int(seconds), tv_nsec: 0)
        try attempt(.setTime, path) { unsafe utimensat(AT_FDCWD, path, [time, time], 0) }
    }

    /// What the path's file system has left for this process.
    package func space(at path: String) throws(Failure) -> FileSystemSpace {
        var status = statvfs()
        try attempt(.measure, path) { unsafe statvfs(path, &status) }
        let unit = Int64(clamping: status.f_frsize)
        return FileSystemSpace(
            totalBytes: Int64(clamping: status.f_blocks).multipliedReportingOverflow(by: unit).partialValue,
            availableBytes: Int64(clamping: status.f_bavail).multipliedReportingOverflow(by: unit)
                .partialValue,
            availableFiles: status.f_files == 0 ? nil : Int64(clamping: status.f_favail))
    }
}

/// The size of a file system and what is left of it.
package struct FileSystemSpace: Sendable, Equatable {
    package var totalBytes: Int64
    /// Bytes that this process may still write.
    package var availableBytes: Int64
    /// Files that this process may still create; nil where the file system sets no limit.
    package var availableFiles: Int64?
}
