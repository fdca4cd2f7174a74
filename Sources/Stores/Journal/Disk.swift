import Glibc

/// The calls to the file system, each failing with what it did and where.
struct Disk: Sendable {
    /// An error number to fail with instead of the call; tests call forth with it what a disk does seldom.
    var fault: @Sendable (FileOperation, String) -> Int32? = { _, _ in nil }

    func open(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(JournalError) -> DescriptorHandle {
        let number = try attempt(.open, path) { unsafe Glibc.open(path, flags | O_CLOEXEC, mode) }
        return DescriptorHandle(owning: number, path: path)
    }

    /// The bytes of a file; nil when it is not there.
    func read(_ path: String) throws(JournalError) -> [UInt8]? {
        do throws(JournalError) {
            let file = try open(path, O_RDONLY)
            try check(.read, path)
            var status = stat()
            guard unsafe fstat(file.number, &status) == 0 else {
                throw JournalError(.read, path, number: errno)
            }
            return try file.readAll(upTo: Int(min(Int64(status.st_size), Limits.channelByteCount)))
        } catch .system(.open, _, ENOENT) {
            return nil
        }
    }

    func write(_ bytes: [UInt8], to file: borrowing DescriptorHandle) throws(JournalError) {
        try check(.write, file.path)
        try file.write(bytes)
    }

    /// Makes a file durable; never tried again, as the kernel forgets what it could not write.
    func sync(_ file: borrowing DescriptorHandle) throws(JournalError) {
        try check(.sync, file.path)
        guard fsync(file.number) == 0 else { throw JournalError(.sync, file.path, number: errno) }
    }

    /// Makes the names in a folder durable.
    func syncFolder(_ path: String) throws(JournalError) {
        try sync(try open(path, O_RDONLY | O_DIRECTORY))
    }

    /// Makes a folder; one that is there is no error.
    func makeFolder(_ path: String) throws(JournalError) {
        do throws(JournalError) {
            _ = try attempt(.makeFolder, path) { unsafe mkdir(path, 0o755) }
        } catch .system(_, _, EEXIST) {}
    }

    /// Removes a file; one that is not there is no error.
    func remove(_ path: String) throws(JournalError) {
        do throws(JournalError) {
            _ = try attempt(.remove, path) { unsafe unlink(path) }
        } catch .system(_, _, ENOENT) {}
    }

    private func check(_ operation: FileOperation, _ path: String) throws(JournalError) {
        if let number = fault(operation, path) { throw JournalError(operation, path, number: number) }
    }

    private func attempt(
        _ operation: FileOperation, _ path: String, _ call: () -> Int32
    ) throws(JournalError) -> Int32 {
        try check(operation, path)
        while true {
            let result = call()
            let number = errno
            if result >= 0 { return result }
            guard number == EINTR else { throw JournalError(operation, path, number: number) }
        }
    }
}

extension Disk {
    /// The names in a folder; none when there is no such folder.
    func list(_ path: String) throws(JournalError) -> [String] {
        guard let stream = unsafe opendir(path) else {
            let number = errno
            if number == ENOENT { return [] }
            throw JournalError(.list, path, number: number)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                let number = errno
                if number != 0 { throw JournalError(.list, path, number: number) }
                return names.filter { $0 != "." && $0 != ".." }
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
            }
            names.append(name)
        }
    }
}
