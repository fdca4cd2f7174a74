import Glibc
import Synchronization

/// The server's end of a connection.
final class ServedConnection: Sendable {
    private let descriptor: Int32
    private let isOpen = Mutex(true)
    private let rest = Mutex<[UInt8]>([])

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Reads a request with its body; nil when the client is gone.
    func readRequest() -> ServedRequest? {
        var bytes = rest.withLock { $0 }
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let end = text.firstRange(of: "\r\n\r\n") {
                var request = ServedRequest(head: text[..<end.lowerBound])
                let content = Array(text[end.upperBound...].utf8)
                let length = request.fields["content-length"].flatMap { Int($0) } ?? 0
                if content.count >= length {
                    request.body = Array(content[..<length])
                    rest.withLock { $0 = Array(content[length...]) }
                    return request
                }
            }
            let more = receive()
            guard !more.isEmpty else { return nil }
            bytes += more
        }
    }

    /// Waits for bytes; none when the client has closed.
    private func receive() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : []
    }

    /// Sends all bytes; false when the client is gone.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends a whole answer.
    func respond(_ status: String = "200 OK", _ fields: [String] = [], body: [UInt8] = []) {
        let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + fields
        send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    func redirect(to location: String) { respond("302 Found", ["Location: \(location)"]) }

    /// Returns when the client has closed the connection.
    func waitForClient() {
        while !receive().isEmpty {}
    }

    /// Ends both directions; a thread that waits for this connection goes on.
    func interrupt() {
        isOpen.withLock { isOpen in
            if isOpen { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    func finish() {
        isOpen.withLock { isOpen in
            if isOpen { close(descriptor) }
            isOpen = false
        }
    }
}

extension ServedRequest {
    fileprivate init(head: Substring) {
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        method = words.first.map(String.init) ?? ""
        target = words.count > 1 ? String(words[1]) : ""
        fields = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            let value = parts.count > 1 ? parts[1].drop { $0 == " " } : ""
            fields[parts[0].lowercased()] = String(value)
        }
    }
}
