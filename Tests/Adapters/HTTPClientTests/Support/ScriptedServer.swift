import Foundation
import Glibc
import Synchronization

/// A server on a raw socket that answers as a test wants it, also in ways that no proper server does.
///
/// One blocking thread for each connection; `stop` ends them all.
final class ScriptedServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let answer: @Sendable (ServedRequest, ServedConnection) -> Void
    private let seen = Mutex(Seen())

    private struct Seen {
        var requests: [ServedRequest] = []
        var connectionCount = 0
        var open: [ServedConnection] = []
        var isStopped = false
    }

    /// Listens on a port that the kernel chooses.
    init(
        on address: String = "127.0.0.1",
        answer: @escaping @Sendable (ServedRequest, ServedConnection) -> Void
    ) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        port = try listener.listen(on: address)
        self.answer = answer
        Thread.detachNewThread { self.acceptConnections() }
    }

    func url(_ path: String, host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    var requests: [ServedRequest] { seen.withLock { $0.requests } }
    var connectionCount: Int { seen.withLock { $0.connectionCount } }

    func stop() {
        let open = seen.withLock { seen in
            seen.isStopped = true
            return seen.open
        }
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in open { connection.interrupt() }
    }

    private func acceptConnections() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { break }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let connection = ServedConnection(descriptor)
            let isStopped = seen.withLock { seen in
                seen.connectionCount += 1
                seen.open.append(connection)
                return seen.isStopped
            }
            if isStopped { connection.interrupt() }
            Thread.detachNewThread { self.serve(connection) }
        }
        close(listener)
    }

    private func serve(_ connection: ServedConnection) {
        while let request = connection.readRequest() {
            seen.withLock { $0.requests.append(request) }
            answer(request, connection)
        }
        seen.withLock { seen in seen.open.removeAll { $0 === connection } }
        connection.finish()
    }
}

/// What a client has sent.
struct ServedRequest: Sendable {
    var method: String
    var target: String
    var fields: [String: String]
    var body: [UInt8] = []
}

extension Int32 {
    /// Binds the socket and listens; gives the port.
    func listen(on address: String) throws -> UInt16 {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = inet_addr(address)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutableBytes(of: &name) { bytes -> Int32 in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
            guard bind(self, pointer, length) == 0, Glibc.listen(self, 1024) == 0 else { return -1 }
            return getsockname(self, pointer, &length)
        }
        guard code == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        return UInt16(bigEndian: name.sin_port)
    }
}
