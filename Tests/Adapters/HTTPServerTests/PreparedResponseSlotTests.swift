import Glibc
import HTTP
import HTTPServer
import HTTPSupport
import TestSupport
import Testing

@Suite("Answers that are given again and again")
struct PreparedResponseSlotTests {
    @Test(
        "A prepared response is the same each time, on every connection",
        arguments: [0, 100, 5_000, 60_000, 70_000])
    func same(count: Int) async throws {
        let pieces = stride(from: 0, to: count, by: 1_000).map {
            SharedBytes(pattern(min(1_000, count - $0), from: $0))
        }
        var answer = HTTPResponse(status: .ok, headers: ["ETag": "\"a\""], body: .pieces(pieces))
        answer.kept = PreparedResponseSlot()
        try await withServer(respond: { [answer] _ in .now(answer) }) { server in
            for _ in 0..<2 {
                let client = try RawConnection(port: server.port)
                for _ in 0..<3 {
                    client.get("/")
                    let seen = try await client.response()
                    #expect(seen.status == 200)
                    #expect(seen.body == pattern(count))
                    #expect(seen.headers["ETag"] == "\"a\"")
                }
            }
            try await becomesIdle(server)
        }
    }

    @Test("A prepared file is sent as it is", arguments: [100, 4_096, 4_097, 300_000])
    func file(count: Int) async throws {
        let file = TestFile(pattern(count))
        var answer = HTTPResponse(status: .ok, body: .file(file.slice(0..<UInt64(count))))
        answer.kept = PreparedResponseSlot()
        try await withServer(respond: { [answer] _ in .now(answer) }) { server in
            let client = try RawConnection(port: server.port)
            for _ in 0..<3 {
                client.get("/")
                #expect(try await client.response().body == pattern(count))
            }
        }
    }

    @Test("A read that fails cuts one answer off, and the next one announces and has all bytes")
    func failedRead() async throws {
        let file = try MappedFile()
        var answer = HTTPResponse(status: .ok, body: .file(file.slice))
        answer.kept = PreparedResponseSlot()
        try await withServer(respond: { [answer] _ in .now(answer) }) { server in
            for isReadable in [true, false, true] {
                try file.setTail(isReadable: isReadable)
                let client = try RawConnection(port: server.port)
                client.get("/", fields: "Connection: close\r\n")
                let seen = await client.rest()
                let end = try #require(seen.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound)
                let header = String(decoding: seen[..<end], as: UTF8.self)
                #expect(header.contains("Content-Length: \(MappedFile.byteCount)\r\n"))
                #expect((seen.count - end == MappedFile.byteCount) == isReadable)
            }
        }
    }

    @Test("Only what is equal is sent again: HEAD, 304 and a request's id have their own answers")
    func differences() async throws {
        var answer = HTTPResponse(status: .ok, body: .bytes(pattern(100)))
        answer.kept = PreparedResponseSlot()
        var unchanged = answer
        unchanged.status = .notModified
        unchanged.kept = PreparedResponseSlot()
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { [answer, unchanged] request in
            .now(request.path == "/" ? answer : unchanged)
        }
        try await withServer(configure: { $0.assignsRequestIDs = true }, respond: respond) { server in
            let client = try RawConnection(port: server.port)
            var ids: Set<String?> = []
            for _ in 0..<3 {
                client.get("/")
                let seen = try await client.response()
                #expect(seen.body == pattern(100))
                ids.insert(seen.headers["X-Request-Id"])
            }
            #expect(ids.count == 3 && !ids.contains(nil))
        }
        try await withServer(respond: respond) { server in
            let client = try RawConnection(port: server.port)
            for _ in 0..<2 {
                client.get("/")
                #expect(try await client.response().body == pattern(100))
                client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
                let head = try await client.response(toHead: true)
                #expect(head.headers["Content-Length"] == "100" && head.body.isEmpty)
                client.get("/unchanged")
                let none = try await client.response(toHead: true)
                #expect(none.status == 304 && none.body.isEmpty)
            }
        }
    }

    @Test("A change of an answer is sent") func changed() async throws {
        var answer = HTTPResponse(status: .ok, body: .bytes(pattern(100)))
        answer.kept = PreparedResponseSlot()
        let respond: @Sendable (HTTPRequest) -> HTTPAnswer = { [answer] request in
            var answer = answer
            if request.path == "/other" { answer.headers["ETag"] = "\"b\"" }
            return .now(answer)
        }
        try await withServer(respond: respond) { server in
            let client = try RawConnection(port: server.port)
            for path in ["/", "/other", "/"] {
                client.get(path)
                #expect(try await client.response().headers["ETag"] == (path == "/" ? nil : "\"b\""))
            }
        }
    }
}

/// A file whose end can be made unreadable: memory of this process, through its file.
private final class MappedFile: OpenFile {
    static let byteCount = 4 << 20
    private static let tailByteCount = 96 << 10
    /// The address of its first byte.
    private let start: UInt
    /// Without content: memory that is mapped to it cannot be read.
    private let empty = TestFile([])
    let descriptor: Int32

    init() throws {
        descriptor = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        let start = mmap(
            nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start, start != MAP_FAILED, descriptor >= 0 else {
            throw TestFailure("no memory to map")
        }
        self.start = UInt(bitPattern: start)
    }

    deinit {
        munmap(UnsafeMutableRawPointer(bitPattern: start), Self.byteCount)
        close(descriptor)
    }

    /// As long as any file may be: addresses are its offsets.
    var byteCount: UInt64 { UInt64(Int64.max) }

    var slice: FileSlice {
        FileSlice(file: self, offset: UInt64(start), byteCount: UInt64(Self.byteCount))
    }

    /// Replaces the mapping in one step, so that no other thread gets its addresses.
    func setTail(isReadable: Bool) throws {
        let tail = UnsafeMutableRawPointer(
            bitPattern: start + UInt(Self.byteCount - Self.tailByteCount))
        let kind = isReadable ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED
        let mapped = mmap(
            tail, Self.tailByteCount, PROT_READ, kind | MAP_FIXED, isReadable ? -1 : empty.descriptor, 0)
        guard mapped == tail else { throw TestFailure("cannot map the tail") }
    }

    func read(at offset: UInt64, upTo count: Int) throws -> [UInt8] {
        throw TestFailure("the server reads a large file itself")
    }
}
