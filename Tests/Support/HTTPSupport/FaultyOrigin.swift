package import HTTP
import HTTPServer
import Synchronization
import TestSupport

/// An origin on this machine that lies and breaks as it is told, and lists what it was asked for.
package final class FaultyOrigin: HTTPHandler {
    package enum Fault: Sendable {
        case status(Int)
        /// A problem document (RFC 9457) with these words.
        case problem(Int, String)
        /// A status with a body of this type.
        case refusal(Int, type: String, text: String)
        /// The whole file under another status, with header fields.
        case whole(Int, [String: String])
        /// A web page with status 200.
        case webPage
        /// The connection is cut after so many bytes.
        case cut(after: Int)
        /// Another range than the one that was asked for.
        case wrongRange
        /// A body that does not end.
        case endless
        case redirect(String)
        /// The rest comes after `release`.
        case held(after: Int)
        /// Zeros instead of the bytes after so many, with the right length.
        case garbled(after: Int)
    }

    package struct Request: Sendable, Equatable {
        package var path: String
        package var query: String?
        package var range: String?
        package var ifRange: String?
        package var cookie: String?
    }

    private struct State {
        var files: [String: [UInt8]] = [:]
        var tags: [String: String] = [:]
        /// Further header fields of whole answers.
        var fields: [String: [String: String]] = [:]
        var faults: [String: [Fault]] = [:]
        /// The entity tags of answers that are cut or damaged.
        var faultTags: [String: String] = [:]
        var log: [Request] = []
        /// What the query of all but playlists must be.
        var token: String?
        /// The paths of which ranges are answered whatever version they are wanted of.
        var careless: Set<String> = []
        var delays: [String: @Sendable () async -> Void] = [:]
        var made: [String: @Sendable (Int) -> String] = [:]
        var answered: [String: @Sendable (Request) -> (text: String, fields: [String: String])] = [:]
    }

    private let state = Mutex(State())
    private let server = Mutex<HTTPServer?>(nil)
    private let isReleased = Mutex(false)

    /// Runs a body with a running origin, on a port that is free or given; it may have files from the start.
    package static func run(
        port: UInt16 = 0, serving kind: SampleStreams.Kind? = nil,
        _ body: (FaultyOrigin) async throws -> Void
    ) async throws {
        let origin = FaultyOrigin()
        if let kind { try await origin.serve(kind) }
        let server = try HTTPServer.open(
            configuration: HTTPServer.Configuration(address: ListenAddress(host: "127.0.0.1", port: port)),
            handler: origin, logger: silentLogger)
        origin.server.withLock { $0 = server }
        do {
            try await body(origin)
        } catch {
            await server.stop(drain: .zero)
            throw error
        }
        await server.stop(drain: .zero)
    }

    package var port: UInt16 { server.withLock { $0?.port ?? 0 } }

    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Serves a file, with a strong tag.
    package func serve(_ path: String, _ bytes: [UInt8], tag: String = "one") {
        state.withLock {
            $0.files[path] = bytes
            $0.tags[path] = tag
        }
    }

    package func serve(_ path: String, _ text: String) { serve(path, Array(text.utf8)) }

    /// Serves a playlist that is there without its end, as that of a presentation that goes on.
    package func reopen(_ path: String) {
        state.withLock { state in
            let text = String(decoding: state.files[path] ?? [], as: UTF8.self)
            let open = text.replacing("#EXT-X-ENDLIST", with: "")
            state.files[path] = Array(open.replacing("#EXT-X-PLAYLIST-TYPE:VOD\n", with: "").utf8)
        }
    }

    /// Serves what is made of the count of requests for it, this one included.
    package func serve(_ path: String, made: @escaping @Sendable (Int) -> String) {
        state.withLock { $0.made[path] = made }
    }

    /// Serves what is made of each request, with header fields.
    package func serve(
        _ path: String, answered: @escaping @Sendable (Request) -> (text: String, fields: [String: String])
    ) {
        state.withLock { $0.answered[path] = answered }
    }

    /// Adds header fields to the answers for a path.
    package func add(_ fields: [String: String], to path: String) {
        state.withLock { $0.fields[path] = fields }
    }

    /// Answers the next requests for a path with these faults, one after the other; those with bytes have an
    /// entity tag.
    package func fail(_ path: String, _ faults: [Fault], tag: String = "one") {
        state.withLock { state in
            state.faults[path, default: []] += faults
            state.faultTags[path] = tag
        }
    }

    /// Answers requests for a path from now on when something has happened.
    package func delay(_ path: String, until isDue: @escaping @Sendable () async -> Void) {
        state.withLock { $0.delays[path] = isDue }
    }

    /// Answers 403 to segments from now on unless their query is this.
    package func require(token: String?) {
        state.withLock { $0.token = token }
    }

    /// Answers ranges of a file from now on as if they were asked for without If-Range.
    package func ignoreIfRange(of path: String) {
        state.withLock { _ = $0.careless.insert(path) }
    }

    /// Lets the rest of what is held come.
    package func release() { isReleased.withLock { $0 = true } }

    package var log: [Request] { state.withLock { $0.log } }

    package func bytes(_ path: String) -> [UInt8]? { state.withLock { $0.files[path] } }

    package func requests(for path: String) -> [Request] { log.filter { $0.path == path } }

    package func admitBody(of request: HTTPRequest) -> HTTPBodyAdmission { .upTo(0) }

    package func answer(_ request: HTTPRequest) -> HTTPAnswer {
        guard let isDue = state.withLock({ $0.delays[request.path] }) else {
            return .now(state.withLock { answer(request, &$0) })
        }
        return .later {
            await isDue()
            return self.state.withLock { self.answer(request, &$0) }
        }
    }

    private func answer(_ request: HTTPRequest, _ state: inout State) -> HTTPResponse {
        state.log.append(
            Request(
                path: request.path, query: request.query, range: request.headers["Range"],
                ifRange: request.headers["If-Range"], cookie: request.headers["Cookie"]))
        if let answered = state.answered[request.path], let asked = state.log.last {
            let (text, fields) = answered(asked)
            var response = HTTPResponse(status: .ok, body: .bytes(Array(text.utf8)))
            for (name, value) in fields { response.headers[name] = value }
            return response
        }
        if let made = state.made[request.path] {
            let count = state.log.count { $0.path == request.path }
            return HTTPResponse(status: .ok, body: .bytes(Array(made(count).utf8)))
        }
        guard let bytes = state.files[request.path] else { return HTTPResponse(status: .notFound) }
        let isPlaylist = request.path.hasSuffix(".m3u8")
        if let token = state.token, !isPlaylist, request.query != token {
            return HTTPResponse(status: HTTPStatus(rawValue: 403))
        }
        if let fault = state.faults[request.path]?.first {
            state.faults[request.path]?.removeFirst()
            return answer(to: request, with: fault, bytes, tag: state.faultTags[request.path] ?? "one")
        }
        var asked = request
        if state.careless.contains(request.path) { asked.headers["If-Range"] = nil }
        var response = Self.whole(asked, bytes, tag: state.tags[request.path] ?? "one")
        for (name, value) in state.fields[request.path] ?? [:] { response.headers[name] = value }
        return response
    }

    private static func whole(_ request: HTTPRequest, _ bytes: [UInt8], tag: String) -> HTTPResponse {
        let validators = Validators(entityTag: EntityTag(strong: tag))
        var headers: HTTPHeaders = ["ETag": "\"\(tag)\"", "Set-Cookie": "visit=1; Path=/"]
        switch ByteRange.requested(
            method: request.method, headers: request.headers, current: validators, length: UInt64(bytes.count)
        )
        {
        case .whole: return HTTPResponse(status: .ok, headers: headers, body: .bytes(bytes))
        case .unsatisfiable: return HTTPResponse(status: .rangeNotSatisfiable)
        case .part(let offset, let length):
            headers["Content-Range"] =
                ContentRange.part(offset: offset, length: length, total: UInt64(bytes.count)).fieldValue
            let part = Array(bytes[Int(offset)..<Int(offset + length)])
            return HTTPResponse(status: .partialContent, headers: headers, body: .bytes(part))
        }
    }

    private func answer(
        to request: HTTPRequest, with fault: Fault, _ bytes: [UInt8], tag: String
    ) -> HTTPResponse {
        switch fault {
        case .status(let status): return HTTPResponse(status: HTTPStatus(rawValue: status))
        case .problem(let status, let words):
            let text = "{\"title\":\"Not Found\",\"status\":\(status),\"detail\":\"\(words)\"}"
            return answer(
                to: request, with: .refusal(status, type: "application/problem+json", text: text), bytes,
                tag: tag)
        case .refusal(let status, let type, let text):
            return HTTPResponse(
                status: HTTPStatus(rawValue: status), headers: ["Content-Type": type],
                body: .bytes(Array(text.utf8)))
        case .whole(let status, let fields):
            var headers: HTTPHeaders = ["ETag": "\"\(tag)\""]
            for (name, value) in fields { headers[name] = value }
            return HTTPResponse(
                status: HTTPStatus(rawValue: status), headers: headers, body: .bytes(bytes))
        case .webPage:
            let page = "<!DOCTYPE html><html><body>Please sign in</body></html>"
            return HTTPResponse(
                status: .ok, headers: ["Content-Type": "text/html"], body: .bytes(Array(page.utf8)))
        case .cut(let count):
            return HTTPResponse(
                status: .ok, headers: ["ETag": "\"\(tag)\""],
                body: .stream(length: UInt64(bytes.count), CutBody(Array(bytes.prefix(count)))))
        case .wrongRange:
            return HTTPResponse(
                status: .partialContent, headers: ["Content-Range": "bytes 0-3/\(bytes.count)"],
                body: .bytes(Array(bytes.prefix(4))))
        case .endless: return HTTPResponse(status: .ok, body: .stream(length: nil, EndlessBody()))
        case .held(let count):
            let body = HeldBody(bytes, after: count) { [weak self] in
                self?.isReleased.withLock { $0 } ?? true
            }
            return HTTPResponse(
                status: .ok, headers: ["ETag": "\"\(tag)\""],
                body: .stream(length: UInt64(bytes.count), body))
        case .garbled(let count):
            let rest = [UInt8](repeating: 0, count: max(0, bytes.count - count))
            return HTTPResponse(
                status: .ok, headers: ["ETag": "\"\(tag)\""], body: .bytes(bytes.prefix(count) + rest))
        case .redirect(let target): return HTTPResponse(status: .found, headers: ["Location": target])
        }
    }
}

extension FaultyOrigin {
    /// Serves a stream under `/vod`.
    package func serve(_ kind: SampleStreams.Kind) async throws {
        for (name, bytes) in try await SampleStreams.files(kind) { serve("/vod/\(name)", bytes) }
    }

    /// Makes a transport stream segment longer by packets without content.
    package func lengthen(_ path: String, byPackets count: Int) {
        let packet: [UInt8] = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
        serve(path, (bytes(path) ?? []) + Array(repeating: packet, count: count).joined())
    }

    /// The paths of the segments of `/vod/index.m3u8`, in order.
    package func segments() -> [String] {
        let text = String(decoding: bytes("/vod/index.m3u8") ?? [], as: UTF8.self)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { "/vod/\($0)" }
    }
}

/// Some bytes, and then an error that cuts the connection.
private final class CutBody: HTTPBodySource {
    private let rest: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) {
        rest = Mutex(bytes)
    }

    func next(limit: Int) async throws -> [UInt8]? {
        let piece = rest.withLock { rest in
            let piece = Array(rest.prefix(limit))
            rest.removeFirst(piece.count)
            return piece
        }
        if piece.isEmpty { throw TestFailure("the connection is cut") }
        return piece
    }
}

/// Some bytes, and the rest when a condition holds.
private final class HeldBody: HTTPBodySource {
    private let bytes: [UInt8]
    private let limit: Int
    private let offset = Mutex(0)
    private let isReleased: @Sendable () -> Bool

    init(_ bytes: [UInt8], after limit: Int, isReleased: @escaping @Sendable () -> Bool) {
        self.bytes = bytes
        self.limit = limit
        self.isReleased = isReleased
    }

    func next(limit count: Int) async throws -> [UInt8]? {
        while offset.withLock({ $0 }) >= limit, !isReleased() {
            try await Task.sleep(for: .milliseconds(5))
        }
        return offset.withLock { offset in
            let end = min(bytes.count, offset + count, isReleased() ? .max : max(limit, offset))
            defer { offset = end }
            return offset < end ? Array(bytes[offset..<end]) : nil
        }
    }
}

private final class EndlessBody: HTTPBodySource {
    func next(limit: Int) async throws -> [UInt8]? { [UInt8](repeating: 0x20, count: min(limit, 1024)) }
}
