import Concurrency
import Foundation

/// Tells systemd that the program runs, so that one that hangs is started again (sd_notify(3)).
struct Watchdog: Sendable {
    /// Time between two messages: half of what systemd waits for.
    let interval: Duration
    private let socketPath: String
    private let clock: HostClock

    /// Nil when the environment does not ask this process for messages.
    init?(environment: [String: String], process: Int32, clock: HostClock) {
        guard let path = environment["NOTIFY_SOCKET"], path.utf8.count > 1,
            let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0
        else { return nil }
        if let owner = environment["WATCHDOG_PID"], owner != String(process) { return nil }
        interval = .microseconds(microseconds) / 2
        socketPath = path
        self.clock = clock
    }

    static func fromEnvironment(clock: HostClock) -> Watchdog? {
        Watchdog(environment: ProcessInfo.processInfo.environment, process: getpid(), clock: clock)
    }

    /// Sends messages until cancelled; they cease when tasks no longer run.
    func run() async {
        while !Task.isCancelled {
            send("WATCHDOG=1")
            try? await clock.sleep(for: interval)
        }
    }

    /// Sends a datagram without waiting; one that cannot be sent is lost.
    private func send(_ message: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // An abstract name begins with a zero byte, which is written as an at sign.
        var path = Array(socketPath.utf8)
        if path.first == UInt8(ascii: "@") { path[0] = 0 }
        let offset = MemoryLayout<sockaddr_un>.offset(of: \sockaddr_un.sun_path) ?? 0
        guard path.count <= MemoryLayout<sockaddr_un>.size - offset else { return }
        unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]).copyBytes(from: path)
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let text = Array(message.utf8)
        let length = socklen_t(offset + path.count)
        unsafe withUnsafeBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = unsafe sendto(
                descriptor, text, text.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL),
                start.assumingMemoryBound(to: sockaddr.self), length)
        }
    }
}
