import Dispatch
import Glibc
import HTTP
import Synchronization

/// A client's socket on loopback: what is sent goes out byte for byte.
///
/// Every call that waits does so on a thread of its own, never on the runtime's.
package final class RawConnection: Sendable {
    package let descriptor: Int32
    private let queue = DispatchQueue(label: "test client")
    /// What has arrived and was not read yet.
    private let arrived = Mutex<[UInt8]>([])

    package enum Failure: Error {
        case connect(Int32)
        case ended
        case malformed(String)
    }

    package init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var patience = timeval(tv_sec: 180, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            connect(
                descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        if result != 0 { throw Failure.connect(errno) }
    }

    deinit { Glibc.close(descriptor) }

    /// Sends without waiting for the peer; what no longer fits or has no peer is dropped.
    package func send(_ text: String) {
        send(Array(text.utf8))
    }

    package func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }

    package func get(_ path: String, fields: String = "") {
        send("GET \(path) HTTP/1.1\r\nHost: test\r\n\(fields)\r\n")
    }

    /// Sends a whole request and reads its response, also when the server answers before it has read all.
    package func exchange(_ request: [UInt8], toHead: Bool = false) async throws -> ReceivedResponse {
        try await onQueue { [self] in
            send(request)
            return try read(toHead: toHead)
        }
    }

    /// The next response; its body is read as its header announces it.
    package func response(toHead: Bool = false) async throws -> ReceivedResponse {
        try await onQueue { [self] in try read(toHead: toHead) }
    }

    /// Everything up to the end of the connection.
    package func rest() async -> [UInt8] {
        let bytes = try? await onQueue { [self] in takeRest() }
        return bytes ?? []
    }

    /// Everything up to the end of the connection, or to these words as soon as they have come.
    package func text(through words: String) async throws -> String {
        try await onQueue { [self] in
            let end = Array(words.utf8)
            while !arrived.withLock({ $0.contains(end) }), receive() {}
            return arrived.withLock { bytes in
                defer { bytes = [] }
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    /// Reads at least so many bytes of whatever comes.
    package func skip(_ count: Int) async throws {
        _ = try await onQueue { [self] in try take(count) }
    }

    private func onQueue<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws
        -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result(catching: work)) }
        }
    }
}

// Reading, on the queue's thread.
extension RawConnection {
    private func read(toHead: Bool) throws -> ReceivedResponse {
        var response = try readHeader()
        if toHead || response.status == 204 || response.status == 304 { return response }
        if response.headers["Transfer-Encoding"] == "chunked" {
            response.body = try readChunks()
        } else if let length = response.headers["Content-Length"].flatMap({ Int($0) }) {
            response.body = try take(length)
        } else {
            response.body = takeRest()
        }
        return response
    }

    private func readHeader() throws -> ReceivedResponse {
        let statusLine = try takeLine().split(separator: " ", maxSplits: 2)
        guard statusLine.count >= 2, statusLine[0] == "HTTP/1.1", let status = Int(statusLine[1]) else {
            throw Failure.malformed("\(statusLine)")
        }
        var response = ReceivedResponse(status: status)
        while true {
            let line = try takeLine()
            if line.isEmpty { return response }
            guard let colon = line.firstIndex(of: ":") else { throw Failure.malformed(line) }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            response.headers.append(String(line[..<colon]), String(value))
        }
    }

    private func readChunks() throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            guard let size = Int(try takeLine(), radix: 16) else { throw Failure.malformed("chunk size") }
            body += try take(size)
            guard try takeLine().isEmpty else { throw Failure.malformed("chunk end") }
            if size == 0 { return body }
        }
    }

    private func receive() -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &piece, piece.count, 0)
        if count <= 0 { return false }
        arrived.withLock { $0 += piece[..<count] }
        return true
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while arrived.withLock({ $0.count < count }) {
            if !receive() { throw Failure.ended }
        }
        return arrived.withLock { bytes in
            defer { bytes.removeFirst(count) }
            return Array(bytes[..<count])
        }
    }

    private func takeRest() -> [UInt8] {
        while receive() {}
        return arrived.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    private func takeLine() throws -> String {
        while true {
            if let end = arrived.withLock({ $0.firstIndex(of: 0x0A) }) {
                let line = try take(end + 1)
                guard line.count >= 2, line[line.count - 2] == 0x0D else {
                    throw Failure.malformed("bare LF")
                }
                return String(decoding: line.dropLast(2), as: UTF8.self)
            }
            if !receive() { throw Failure.ended }
        }
    }
}
