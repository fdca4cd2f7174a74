import Concurrency
import Foundation
import TestSupport
import Testing

@testable import Backcast

@Suite("Messages to systemd")
struct WatchdogTests {
    @Test(
        "only a process that is asked for messages sends them",
        arguments: [
            ([:], false), (["NOTIFY_SOCKET": "/run/n"], false),
            (["NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "0"], false),
            (["NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "60000000"], true),
            (["NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "7"], true),
            (["NOTIFY_SOCKET": "/run/n", "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "8"], false),
        ] as [([String: String], Bool)])
    func asked(environment: [String: String], isAsked: Bool) {
        let watchdog = Watchdog(environment: environment, process: 7, clock: .system)
        #expect(watchdog?.interval == (isAsked ? .seconds(30) : nil))
    }

    @Test("a message is sent at once and in every half of the time", arguments: [false, true])
    func sent(isAbstract: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = isAbstract ? "@backcast-\(UUID().uuidString)" : folder.path(of: "n")
        let socket = try DatagramSocket(path)
        let clock = ManualClock()
        let watchdog = try #require(
            Watchdog(
                environment: ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "60000000"], process: 7,
                clock: clock.clock))
        let running = Task { await watchdog.run() }
        for _ in 0..<3 {
            try await clock.sleepers()
            #expect(socket.received() == "WATCHDOG=1")
            #expect(socket.received() == nil)
            clock.advance(by: .seconds(30))
        }
        running.cancel()
        await running.value
    }
}

/// A socket of datagrams under a name, as systemd has one.
private struct DatagramSocket: ~Copyable {
    private let descriptor: Int32

    init(_ name: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = name.utf8.map { $0 == UInt8(ascii: "@") ? 0 : $0 }
        withUnsafeMutableBytes(of: &address) { bytes in
            UnsafeMutableRawBufferPointer(rebasing: bytes[2...]).copyBytes(from: path)
        }
        let result = withUnsafePointer(to: &address) {
            bind(
                descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
                socklen_t(2 + path.count))
        }
        try #require(result == 0)
    }

    deinit { close(descriptor) }

    /// The next message; nil when there is none.
    func received() -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
