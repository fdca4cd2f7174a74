import Glibc
import HTTP
import HTTPServer
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@Suite("Resources after a request")
struct DescriptorTests {
    private static let content = pattern(100_000)

    /// Tells when the file has been let go.
    private final class CountedFile: OpenFile {
        static let open = Mutex(0)
        let file = TestFile(content, name: "backcast-leak")
        var descriptor: Int32 { file.descriptor }
        var byteCount: UInt64 { file.byteCount }

        func read(at offset: UInt64, upTo count: Int) throws -> [UInt8] {
            try file.read(at: offset, upTo: count)
        }

        init() { Self.open.withLock { $0 += 1 } }
        deinit { Self.open.withLock { $0 -= 1 } }
    }

    @Test("Five hundred requests of every kind leave no file, no source and no descriptor") func none()
        async throws
    {
        let sources = Mutex(0)
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { request in
            switch request.path {
            case "/file":
                let file = CountedFile()
                return .now(
                    HTTPResponse(
                        status: .ok, body: .file(FileSlice(file: file, offset: 0, byteCount: 100_000))))
            case "/bytes":
                return .now(HTTPResponse(status: .ok, body: .bytes(Array(Self.content[..<10_000]))))
            case "/stream":
                sources.withLock { $0 += 1 }
                let source = CountingSource { sources.withLock { $0 -= 1 } }
                return .now(HTTPResponse(status: .ok, body: .stream(length: nil, source)))
            default: return .later { HTTPResponse(status: .ok, body: .bytes([1])) }
            }
        }
        let summaries = Mutex(0)
        try await withServer(
            configure: { $0.onFinished = { _ in summaries.withLock { $0 += 1 } } }, respond: respond,
        ) { server in
            for round in 0..<500 {
                let path = ["/file", "/bytes", "/stream", "/later"][round % 4]
                let client = try RawConnection(port: server.port)
                client.get(path)
                // Every fifth client leaves without reading.
                if round % 5 != 0 { #expect(try await client.response().status == 200) }
            }
            try await becomesIdle(server)
            try await eventually("the end of every connection") { server.openConnections == 0 }
            #expect(summaries.withLock { $0 } == 500)
            try await eventually("the end of every source") { sources.withLock { $0 } == 0 }
            #expect(CountedFile.open.withLock { $0 } == 0)
            #expect(Self.openDescriptors(of: "/tmp/backcast-leak") == 0)
        }
    }

    /// Descriptors of this process whose file's name begins so; the server sends from duplicates.
    private static func openDescriptors(of prefix: String) -> Int {
        (0..<4_096).count { number in
            var target = [CChar](repeating: 0, count: 256)
            let count = readlink("/proc/self/fd/\(number)", &target, target.count)
            return count > 0
                && String(decoding: target[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self).hasPrefix(
                    prefix)
        }
    }

    private final class CountingSource: HTTPBodySource {
        private let onGone: @Sendable () -> Void
        private let calls = Mutex(0)

        init(_ onGone: @escaping @Sendable () -> Void) { self.onGone = onGone }
        deinit { onGone() }

        func next(limit: Int) async throws -> [UInt8]? {
            let call = calls.withLock { count in
                defer { count += 1 }
                return count
            }
            return call < 4 ? content : nil
        }
    }
}
