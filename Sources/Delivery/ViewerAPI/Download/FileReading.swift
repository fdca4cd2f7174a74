import Dispatch
import Glibc
import HTTP

/// Reads pieces of files on a few threads of its own: a slow disk must not hold the threads that tasks run on.
enum FileReading {
    private static let queues = (0..<Limits.readerThreads).map {
        DispatchQueue(label: "backcast.download.\($0)")
    }

    /// Bytes from an offset on, at most `limit`; none at the end of the file.
    static func bytes(of file: any OpenFile, at offset: UInt64, limit: Int) async throws -> [UInt8] {
        let queue = queues[Int(file.descriptor.magnitude) % queues.count]
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try read(file, offset, limit) }) }
        }
    }

    private static func read(_ file: any OpenFile, _ offset: UInt64, _ limit: Int) throws -> [UInt8] {
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            var result: Int
            repeat {
                result = unsafe pread(file.descriptor, buffer.baseAddress, limit, off_t(clamping: offset))
                failure = result < 0 ? errno : 0
            } while failure == EINTR
            count = max(0, result)
        }
        if failure != 0 { throw DownloadError.unreadable(errno: failure) }
        return bytes
    }
}
