import Glibc
import HTTP
import HTTPServer
import HTTPSupport
import Synchronization
import TestSupport

/// A server on a port that the kernel chose, which looks often for deadlines, stopped at the end of `body`.
func withServer<Result>(
    admission: HTTPBodyAdmission = .upTo(1_000),
    configure: (inout HTTPServer.Configuration) -> Void = { _ in },
    respond: @escaping @Sendable (HTTPRequest) -> HTTPAnswer, _ body: (HTTPServer) async throws -> Result,
) async throws -> Result {
    let handler = FunctionHandler(admitBody: { _ in admission }, respond)
    let quick: (inout HTTPServer.Configuration) -> Void = {
        $0.limits.sweep = .milliseconds(10)
        configure(&$0)
    }
    return try await withHTTPServer(handler, configure: quick, body)
}

/// Waits until no request is in flight.
///
/// A client has the last byte a moment before the server is told that it was sent.
func becomesIdle(_ server: HTTPServer) async throws {
    try await eventually("the end of every request") { server.requestsInFlight == 0 }
}

extension HTTPAnswer {
    static func text(_ text: String) -> HTTPAnswer {
        .now(HTTPResponse(status: .ok, body: .bytes(Array(text.utf8))))
    }
}

/// A value that tasks set and tests wait for.
final class Signal: Sendable {
    private let pair = AsyncStream<Void>.makeStream()

    func set() {
        pair.continuation.yield()
        pair.continuation.finish()
    }

    func wait() async {
        for await _ in pair.stream { return }
    }
}

/// Bytes that tell their place, so that a wrong offset shows.
func pattern(_ count: Int, from start: Int = 0) -> [UInt8] {
    (start..<(start + count)).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8 ^ $0 >> 16) }
}

/// A file without a name that holds `bytes`.
final class TestFile: OpenFile {
    let descriptor: Int32
    let byteCount: UInt64

    init(_ bytes: [UInt8], name: String = "backcast-test") {
        var template = Array("/tmp/\(name)-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        unlink(template)
        byteCount = UInt64(bytes.count)
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count <= 0 { break }
            done += count
        }
    }

    deinit { close(descriptor) }

    func read(at offset: UInt64, upTo count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = pread(descriptor, &bytes, count, off_t(offset))
        return Array(bytes.prefix(max(0, result)))
    }

    func slice(_ range: Range<UInt64>) -> FileSlice {
        FileSlice(file: self, offset: range.lowerBound, byteCount: UInt64(range.count))
    }
}

/// A source that calls a closure for each piece and tells when it is gone.
final class TestSource: HTTPBodySource {
    private let make: @Sendable (Int, Int) async throws -> [UInt8]?
    private let calls = Mutex(0)
    private let gone: Signal?

    /// The closure gets the number of the call, from 0, and the limit.
    init(gone: Signal? = nil, _ make: @escaping @Sendable (Int, Int) async throws -> [UInt8]?) {
        self.make = make
        self.gone = gone
    }

    deinit { gone?.set() }

    func next(limit: Int) async throws -> [UInt8]? {
        let call = calls.withLock { count in
            defer { count += 1 }
            return count
        }
        return try await make(call, limit)
    }
}
