import Glibc
import Synchronization

/// A descriptor for log lines, one `write` per line.
package final class LogOutput: Sendable {
    /// The process's standard error.
    package static let standardError = LogOutput(descriptor: STDERR_FILENO)

    private let descriptor: Mutex<Int32>

    /// The caller keeps the descriptor and must keep it open.
    package init(descriptor: Int32) {
        self.descriptor = Mutex(descriptor)
    }

    /// Writes a line and its end; a failed write loses the line, because it cannot be reported.
    package func write(line: String) {
        let bytes = Array(line.utf8) + [0x0A]
        descriptor.withLock { descriptor in
            var offset = 0
            while offset < bytes.count {
                let written = unsafe bytes[offset...].withUnsafeBytes {
                    unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
                }
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { return }
                offset += written
            }
        }
    }
}
