import Dispatch
import Glibc
import Synchronization

/// A descriptor for log lines, which a thread of its own writes.
///
/// A descriptor that takes no more blocks that thread only. Lines wait in memory up to a limit, and later
/// ones are lost.
package final class LogOutput: Sendable {
    /// The process's standard error.
    package static let standardError = LogOutput(descriptor: STDERR_FILENO)

    private struct State {
        var waiting: [UInt8] = []
        var isWriting = false
        var lost = 0
    }

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "backcast.log")
    private let state = Mutex(State())

    /// The caller keeps the descriptor and must keep it open.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Gives a line and its end to the writing thread and returns at once.
    ///
    /// Where lines were lost before it, the text of `report` for their number is written first.
    package func write(line: String, report: (_ lost: Int) -> String = { "\($0) log lines were lost" }) {
        let mustStart = state.withLock { state in
            guard state.waiting.count + line.utf8.count < Limits.waitingLogBytes else {
                state.lost += 1
                return false
            }
            if state.lost > 0 {
                state.waiting += report(state.lost).utf8
                state.waiting.append(0x0A)
                state.lost = 0
            }
            state.waiting += line.utf8
            state.waiting.append(0x0A)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { queue.async { self.writeAll() } }
    }

    /// Waits until everything is written, at most `Limits.logFlushMilliseconds`.
    package func flush() {
        let written = DispatchSemaphore(value: 0)
        queue.async { written.signal() }
        _ = written.wait(timeout: .now() + .milliseconds(Limits.logFlushMilliseconds))
    }

    /// A write that fails loses its lines, because it cannot be reported.
    private func writeAll() {
        while true {
            let bytes = state.withLock { state in
                if state.waiting.isEmpty { state.isWriting = false }
                defer { state.waiting = [] }
                return state.waiting
            }
            if bytes.isEmpty { return }
            write(bytes)
        }
    }

    private func write(_ bytes: [UInt8]) {
        var offset = 0
        while offset < bytes.count {
            let written = unsafe bytes[offset...].withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if written < 0 && errno == EINTR { continue }
            if written < 0 && errno == EAGAIN && waitUntilWritable() { continue }
            guard written > 0 else { return }
            offset += written
        }
    }

    /// Waits until more can be written; another process that shares the descriptor may have set O_NONBLOCK.
    ///
    /// - Returns: false if waiting failed
    private func waitUntilWritable() -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while unsafe poll(&wait, 1, -1) < 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }
}
