import CLinux
import Glibc

/// Calls to the file system, whose errors name the operation and the path.
package struct Disk<Failure: FileFailure>: Sendable {
    /// Fault injection for tests: an error number with which a call fails instead of being made.
    private let fault: @Sendable (FileOperation, String) -> Int32?

    package init(fault: @escaping @Sendable (FileOperation, String) -> Int32? = { _, _ in nil }) {
        self.fault = fault
    }

    package func open(
        _ path: String, _ flags: Int32, mode: UInt32 = 0
    ) throws(Failure) -> DescriptorHandle<Failure> {
        let number = try attempt(.open, path) { unsafe Glibc.open(path, flags | O_CLOEXEC, mode) }
        return DescriptorHandle(owning: number, path: path)
    }

    /// Opens a file for reading if the kernel finds it without waiting for the disk; nil if it does not, or
    /// has no such call (openat2(2) in Linux before 5.12, or forbidden).
    ///
    /// A network file system may wait for its server nevertheless.
    package func openWithoutBlocking(_ path: String, _ flags: Int32) throws(Failure) -> DescriptorHandle<
        Failure
    >? {
        let number = try attempt(.open, path, tolerating: [EAGAIN, ENOSYS, EINVAL, EPERM]) {
            unsafe clinux_open_at_once(AT_FDCWD, path, flags | O_CLOEXEC)
        }
        return number < 0 ? nil : DescriptorHandle(owning: number, path: path)
    }

    package func write(_ bytes: [UInt8], to file: borrowing DescriptorHandle<Failure>) throws(Failure) {
        try check(.write, file.path)
        try file.write(bytes)
    }

    /// Writes bytes at an offset of a file that is not open for appending only.
    package func write(
        _ bytes: [UInt8], to file: borrowing DescriptorHandle<Failure>, at offset: Int64,
    ) throws(Failure) {
        try check(.write, file.path)
        try file.write(bytes, at: offset)
    }

    /// Makes a file durable; never tried again, because the kernel drops what it could not write.
    package func sync(_ file: borrowing DescriptorHandle<Failure>) throws(Failure) {
        try check(.sync, file.path)
        guard fsync(file.number) == 0 else { throw Failure(.sync, file.path, number: errno) }
    }

    package func setMode(_ mode: UInt32, of file: borrowing DescriptorHandle<Failure>) throws(Failure) {
        let number = file.number
        try attempt(.setMode, file.path) { fchmod(number, mode) }
    }

    /// Gives a file a second name, never replacing another; returns whether it has the name.
    package func link(_ path: String, to name: String) throws(Failure) -> Bool {
        try attempt(.link, name, tolerating: [EEXIST]) { unsafe Glibc.link(path, name) } == 0
    }

    /// Gives a file another name in one step; a file that has the name is replaced.
    package func rename(_ path: String, to name: String) throws(Failure) {
        try attempt(.link, name) { unsafe Glibc.rename(path, name) }
    }

    /// Removes a file; returns whether it existed.
    @discardableResult
    package func remove(_ path: String) throws(Failure) -> Bool {
        try attempt(.remove, path, tolerating: [ENOENT]) { unsafe unlink(path) } == 0
    }

    /// Whether the first bytes of a file can be read without waiting for the disk; nil where the system does
    /// not say, as network file systems do not.
    ///
    /// An injected fault of the operation `look` stands for the error of preadv2(2), 0 for none.
    package func isInMemory(_ file: borrowing DescriptorHandle<Failure>, upTo count: Int) -> Bool? {
        switch fault(.look, file.path) {
        case nil: file.isInMemory(upTo: count)
        case 0: true
        case EAGAIN: false
        default: nil
        }
    }

    /// Fails when a fault is injected.
    func check(_ operation: FileOperation, _ path: String) throws(Failure) {
        if let number = fault(operation, path) { throw Failure(operation, path, number: number) }
    }

    /// The result of a call, repeated after an interrupting signal; a tolerated error is its negative number.
    @discardableResult
    func attempt(
        _ operation: FileOperation, _ path: String, tolerating tolerated: [Int32] = [],
        _ call: () -> Int32
    ) throws(Failure) -> Int32 {
        let injected = fault(operation, path)
        while true {
            let result = injected == nil ? call() : -1
            let number = injected ?? errno
            if result >= 0 { return result }
            if tolerated.contains(number) { return -number }
            guard injected == nil, number == EINTR else { throw Failure(operation, path, number: number) }
        }
    }
}
