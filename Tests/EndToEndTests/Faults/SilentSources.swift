import Foundation
import Glibc
import TestSupport

/// Hosts of the loopback network that take connections on one port and never answer.
final class SilentSources: Sendable {
    private let socket: Int32
    private let port: UInt16

    init() throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                // Nothing accepts: the kernel takes the connections.
                bind(socket, general, length) | listen(socket, 4_096) | getsockname(socket, general, &length)
            }
        }
        guard socket >= 0, result == 0 else { throw TestFailure("no silent source: error \(errno)") }
        self.socket = socket
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit {
        close(socket)
    }

    /// Each index is a host of its own, from 127.0.1.1 on.
    func url(of index: Int) -> String {
        "http://127.0.\(1 + index / 250).\(1 + index % 250):\(port)/index.m3u8"
    }
}
