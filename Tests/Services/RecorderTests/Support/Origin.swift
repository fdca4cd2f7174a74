import Concurrency
import HTTP
import HTTPClient
import HTTPServer
import SegmentStore
import Synchronization
import TestSupport
import Timeline

@testable import Recorder

/// The server of a source, on this machine: it has what it was given, and nothing else.
struct Origin: Sendable {
    let client: HTTPClient
    private let server: HTTPServer
    private let shelf = Shelf()

    /// Runs a body, and closes the server.
    static func run(_ body: (Origin) async throws -> Void) async throws {
        let origin = try Origin()
        do {
            try await body(origin)
        } catch {
            await origin.close()
            throw error
        }
        await origin.close()
    }

    private init() throws {
        client = try HTTPClient.open(ClientConfiguration(logger: silentLogger))
        var configuration = HTTPServer.Configuration(address: ListenAddress(host: "127.0.0.1", port: 0))
        // Other tests may keep the runtime's threads busy for longer than a body may stand still.
        configuration.background = BackgroundExecutor(threads: 2)
        configuration.limits.idle = .seconds(600)
        server = try HTTPServer.open(configuration: configuration, handler: shelf, logger: silentLogger)
    }

    private func close() async {
        await server.stop(drain: .zero)
        await client.close()
    }

    /// Answers a path with these bytes from now on.
    func serve(_ path: String, _ bytes: [UInt8]) {
        shelf.put(path) { _ in bytes }
    }

    func serve(_ path: String, _ text: String) {
        serve(path, Array(text.utf8))
    }

    /// Answers a path with what is made of the count of requests for it, this one included.
    func serve(_ path: String, made: @escaping @Sendable (_ count: Int) -> String) {
        serve(path) { Array(made($0).utf8) }
    }

    func serve(_ path: String, _ made: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        shelf.put(path, made)
    }

    /// Answers a path with these fields and bytes, or with 304 where a field of the request has this value.
    func serve(
        _ path: String, _ text: String, _ fields: HTTPHeaders, unchangedIf condition: (String, String),
    ) {
        shelf.answer(path) { request in
            if request.headers[condition.0] == condition.1 { return HTTPResponse(status: .notModified) }
            return HTTPResponse(status: .ok, headers: fields, body: .bytes(Array(text.utf8)))
        }
    }

    /// Answers a path with these bytes and a cookie, or with 403 where a field of the request has not the
    /// value that it must have.
    func serve(_ path: String, _ bytes: [UInt8], onlyIf fields: [(String, String)], cookie: String) {
        shelf.answer(path) { request in
            guard fields.allSatisfy({ request.headers[$0.0] == $0.1 }) else {
                return HTTPResponse(status: .forbidden)
            }
            return HTTPResponse(status: .ok, headers: ["Set-Cookie": cookie], body: .bytes(bytes))
        }
    }

    /// Answers a path with what is made of the query.
    func serve(_ path: String, byQuery answer: @escaping @Sendable (_ query: String?) -> HTTPResponse) {
        shelf.answer(path) { answer($0.query) }
    }

    /// Answers a path with a status, fields and bytes, whatever is asked for.
    func serve(_ path: String, _ status: HTTPStatus, _ fields: HTTPHeaders = [:], _ bytes: [UInt8] = []) {
        shelf.answer(path) { _ in HTTPResponse(status: status, headers: fields, body: .bytes(bytes)) }
    }

    /// Answers a path with bytes after it announced so many, and closes the connection then.
    func serve(_ path: String, _ bytes: [UInt8], announcing length: UInt64) {
        shelf.answer(path) { _ in
            HTTPResponse(status: .ok, body: .stream(length: length, CutSource(bytes)))
        }
    }

    /// Accepts requests for a path from now on, and never answers them.
    func hang(_ path: String) {
        shelf.answer(path, nil)
    }

    /// Connections that are open, whether they are in use or not.
    var openConnections: Int { server.openConnections }

    /// How often a path was asked for.
    func requests(for path: String) -> Int { shelf.requests(for: path) }

    func url(_ path: String) throws -> HTTPURL {
        try HTTPURL("http://127.0.0.1:\(server.port)\(path)")
    }

    /// A source whose first playlist is at a path.
    func source(_ path: String) throws -> SourceSettings {
        SourceSettings(url: try url(path).absoluteString)
    }

    func link(_ path: String = "/index.m3u8") throws -> SourceClient {
        try SourceClient(try source(path), client: client, policy: AddressPolicy())
    }

    /// A fetcher of the first video.
    func fetcher(
        store: any SegmentStore, encryption: EncryptionChoice = .keep, clock: HostClock = .system,
        link: SourceClient? = nil,
    ) throws -> SegmentFetcher {
        let channel = PublisherStage.fact(video(0), 0).channel
        return SegmentFetcher(
            channel: channel, rendition: video(0), link: try link ?? self.link(), store: store,
            keys: KeyCache(channel: channel, store: store, clock: clock),
            initializations: InitSectionCache(channel: channel, rendition: video(0), store: store),
            encryption: encryption, isDiskFull: { false })
    }
}

/// Bytes in front of an error.
private final class CutSource: HTTPBodySource {
    private let rest: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) {
        rest = Mutex(bytes)
    }

    func next(limit: Int) throws -> [UInt8]? {
        try rest.withLock { rest in
            if rest.isEmpty { throw TestFailure("the connection breaks") }
            defer { rest.removeFirst(min(limit, rest.count)) }
            return Array(rest.prefix(limit))
        }
    }
}

/// What an origin answers, by path.
private final class Shelf: HTTPHandler {
    typealias Answer = @Sendable (HTTPRequest, _ count: Int) -> HTTPResponse

    /// Nil where no answer ever comes.
    private let answers = Mutex<[String: Answer?]>([:])
    private let counts = Mutex<[String: Int]>([:])

    func put(_ path: String, _ made: @escaping @Sendable (_ count: Int) -> [UInt8]) {
        answers.withLock { answers in
            answers[path] = { HTTPResponse(status: .ok, body: .bytes(made($1))) }
        }
    }

    /// Nil never answers.
    func answer(_ path: String, _ answer: (@Sendable (HTTPRequest) -> HTTPResponse)?) {
        answers.withLock { answers in
            answers[path] = .some(answer.map { answer -> Answer in { request, _ in answer(request) } })
        }
    }

    func requests(for path: String) -> Int {
        counts.withLock { $0[path] ?? 0 }
    }

    func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission { .upTo(0) }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        let count = counts.withLock { counts in
            counts[request.path, default: 0] += 1
            return counts[request.path] ?? 0
        }
        guard let answer = answers.withLock({ $0[request.path] }) else {
            return .now(HTTPResponse(status: .notFound))
        }
        guard let answer else {
            return .later {
                try? await Task.sleep(for: .seconds(3600))
                return HTTPResponse(status: .notFound)
            }
        }
        return .now(answer(request, count))
    }
}
