import Glibc

/// The calls to the file system, each failing with what it did and where.
struct Disk: Sendable {
    /// An error number to fail with instead of the call; tests call forth with it what a disk does seldom.
    var fault: @Sendable (FileOperation, String) -> Int32? = { _, _ in nil }

    func open(_ path: String, _ flags: Int32, mode: mode_t = 0) throws(StoreError) -> DescriptorHandle {
        let number = try attempt(.open, path) { unsafe Glibc.open(path, flags | O_CLOEXEC, mode) }
        return DescriptorHandle(owning: number, path: path)
    }

    func write(_ bytes: [UInt8], to file: borrowing DescriptorHandle) throws(StoreError) {
        try check(.write, file.path)
        try file.write(bytes)
    }

    /// Makes a file durable; never tried again, as the kernel forgets what it could not write.
    func sync(_ file: borrowing DescriptorHandle) throws(StoreError) {
        try check(.sync, file.path)
        guard fsync(file.number) == 0 else { throw StoreError(.sync, file.path, number: errno) }
    }

    /// Makes the names in a folder durable.
    func syncFolder(_ path: String) throws(StoreError) {
        try sync(try open(path, O_RDONLY | O_DIRECTORY))
    }

    func setMode(_ mode: mode_t, of file: borrowing DescriptorHandle) throws(StoreError) {
        let number = file.number
        _ = try attempt(.setMode, file.path) { fchmod(number, mode) }
    }

    /// Makes a folder; one that is there is no error.
    func makeFolder(_ path: String, mode: mode_t) throws(StoreError) {
        do {
            _ = try attempt(.makeFolder, path) { unsafe mkdir(path, mode) }
        } catch .system(_, _, EEXIST) {}
    }

    /// Gives a file a second name, unless the name is taken.
    func link(_ path: String, to name: String) throws(StoreError) -> Bool {
        do {
            _ = try attempt(.link, name) { unsafe Glibc.link(path, name) }
            return true
        } catch .system(_, _, EEXIST) {
            return false
        }
    }

    /// Removes a file; answers whether it was there.
    @discardableResult
    func remove(_ path: String) throws(StoreError) -> Bool {
        do {
            _ = try attempt(.remove, path) { unsafe unlink(path) }
            return true
        } catch .system(_, _, ENOENT) {
            return false
        }
    }

    /// Removes a folder when nothing is in it; answers whether it is gone.
    @discardableResult
    func removeEmptyFolder(_ path: String) throws(StoreError) -> Bool {
        do {
            _ = try attempt(.remove, path) { unsafe rmdir(path) }
            return true
        } catch .system(_, _, ENOENT) {
            return true
        } catch .system(_, _, ENOTEMPTY) {
            return false
        }
    }

    /// Fails when a fault is called forth.
    func check(_ operation: FileOperation, _ path: String) throws(StoreError) {
        if let number = fault(operation, path) { throw StoreError(operation, path, number: number) }
    }

    private func attempt(
        _ operation: FileOperation, _ path: String, _ call: () -> Int32
    ) throws(StoreError) -> Int32 {
        try check(operation, path)
        while true {
            let result = call()
            let number = errno
            if result >= 0 { return result }
            guard number == EINTR else { throw StoreError(operation, path, number: number) }
        }
    }
}
