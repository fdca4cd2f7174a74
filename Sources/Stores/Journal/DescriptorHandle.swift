import Glibc

/// The owner of a file descriptor.
struct DescriptorHandle: ~Copyable {
    let number: Int32
    let path: String

    init(owning number: Int32, path: String) {
        self.number = number
        self.path = path
    }

    /// The result says nothing: what must last was synced before.
    deinit {
        close(number)
    }

    /// Writes all bytes behind what was written.
    func write(_ bytes: [UInt8]) throws(JournalError) {
        var done = 0
        while done < bytes.count {
            let result = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(number, $0.baseAddress.map { unsafe $0 + done }, bytes.count - done)
            }
            let failure = errno
            if result < 0 && failure == EINTR { continue }
            guard result > 0 else {
                throw JournalError(.write, path, number: result == 0 ? ENOSPC : failure)
            }
            done += result
        }
    }

    /// The bytes from the beginning to the end, or to the count.
    func readAll(upTo count: Int) throws(JournalError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let result = unsafe bytes.withUnsafeMutableBytes {
                unsafe pread(number, $0.baseAddress.map { unsafe $0 + done }, count - done, off_t(done))
            }
            let failure = errno
            if result < 0 && failure == EINTR { continue }
            guard result >= 0 else { throw JournalError(.read, path, number: failure) }
            if result == 0 { break }
            done += result
        }
        bytes.removeLast(count - done)
        return bytes
    }

    /// Takes the file's lock unless somebody has it; it lasts as long as the descriptor.
    func tryLock() throws(JournalError) -> Bool {
        while flock(number, LOCK_EX | LOCK_NB) != 0 {
            let failure = errno
            if failure == EWOULDBLOCK { return false }
            guard failure == EINTR else { throw JournalError(.lock, path, number: failure) }
        }
        return true
    }
}
