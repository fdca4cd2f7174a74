import CLinux
package import Glibc

/// The owner of a file descriptor.
package struct DescriptorHandle<Failure: FileFailure>: ~Copyable {
    package let number: Int32
    package let path: String

    init(owning number: Int32, path: String) {
        self.number = number
        self.path = path
    }

    /// The result is ignored: what must last was synced before.
    deinit {
        close(number)
    }

    /// The system's information about the file.
    package func status() throws(Failure) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw Failure(.measure, path, number: errno) }
        return status
    }

    /// Reads at an offset until the count or the end of the file is reached.
    package func read(at offset: Int64, upTo count: Int) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let result = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(
                    number, $0.baseAddress.map { unsafe $0 + done }, count - done, off_t(offset) + off_t(done)
                )
            }
            let failure = errno
            if result < 0 && failure == EINTR { continue }
            guard result >= 0 else { throw Failure(.read, path, number: failure) }
            if result == 0 { break }
            done += result
        }
        bytes.removeLast(count - done)
        return bytes
    }

    /// Reads from the current position until the count or the end is reached, whatever length the file has.
    func readToEnd(upTo count: Int) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(count, 64 << 10))
        while bytes.count < count {
            let wanted = min(piece.count, count - bytes.count)
            let result = unsafe piece.withUnsafeMutableBytes {
                unsafe Glibc.read(number, $0.baseAddress, wanted)
            }
            let failure = errno
            if result < 0 && failure == EINTR { continue }
            guard result >= 0 else { throw Failure(.read, path, number: failure) }
            if result == 0 { break }
            bytes += piece[..<result]
        }
        return bytes
    }

    /// Lets the kernel read a range in the background.
    package func prefetch(at offset: Int64, count: Int64) {
        posix_fadvise(number, off_t(offset), off_t(count), Int32(POSIX_FADV_WILLNEED))
    }

    /// Whether the first `count` bytes can be read without waiting for the disk; nil if that is not known.
    ///
    /// Checks samples of them (preadv2(2), RWF_NOWAIT).
    func isInMemory(upTo count: Int) -> Bool? {
        // The kernel reads more than the distance of two samples at a time.
        for offset in stride(from: 0, to: count, by: 128 << 10) {
            let isInMemory = isInMemory(offset)
            if isInMemory != true { return isInMemory }
        }
        return isInMemory(max(0, count - 1))
    }

    private func isInMemory(_ offset: Int) -> Bool? {
        if clinux_read_byte_at_once(number, offset) >= 0 { return true }
        return errno == EAGAIN ? false : nil
    }

    /// Appends all bytes, or writes them at an offset.
    package func write(_ bytes: [UInt8], at offset: Int64? = nil) throws(Failure) {
        var done = 0
        while done < bytes.count {
            let result = unsafe bytes.withUnsafeBytes { buffer -> Int in
                let rest = unsafe buffer.baseAddress.map { unsafe $0 + done }
                guard let offset else { return unsafe Glibc.write(number, rest, bytes.count - done) }
                return unsafe pwrite(number, rest, bytes.count - done, off_t(offset) + off_t(done))
            }
            let failure = errno
            if result < 0 && failure == EINTR { continue }
            guard result > 0 else { throw Failure(.write, path, number: result == 0 ? ENOSPC : failure) }
            done += result
        }
    }

    /// Takes the file's lock unless another process holds it; the lock lasts as long as the descriptor.
    ///
    /// A shared lock is for those that only look whether another process has the lock for itself.
    package func tryLock(isShared: Bool = false) throws(Failure) -> Bool {
        while flock(number, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            let failure = errno
            if failure == EWOULDBLOCK { return false }
            guard failure == EINTR else { throw Failure(.lock, path, number: failure) }
        }
        return true
    }

    /// Releases the file's lock at once.
    ///
    /// Closing alone releases it only when the last copy of the descriptor is closed, and a child process has
    /// copies until it starts its program.
    package func unlock() {
        flock(number, LOCK_UN)
    }
}
