import Compression
import Foundation
import HLS
import HTTP
import HTTPServer
import HTTPSupport
import Probe
import TestSupport
import Testing

struct PlaylistProberTests {
    static let list = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n"

    func reports(on sources: [String]) async throws -> [ProbeReport] {
        let prober = try PlaylistProber.open(for: sources, logger: silentLogger)
        var reports: [ProbeReport] = []
        for source in sources { reports.append(await prober.report(on: source)) }
        await prober.close()
        return reports
    }

    func reason(_ report: ProbeReport) -> String? {
        if case .refused(let reason) = report.outcome { reason } else { nil }
    }

    @Test("Files are read; one that is not there, a folder and one that is too long are refused by name")
    func files() async throws {
        let folder = try TemporaryFolder("probe")
        let good = try folder.write(Self.list, to: "good.m3u8")
        let long = try folder.write(String(repeating: "#\n", count: (8 << 20) + 1), to: "long.m3u8")
        let sources = [good, good + ".none", String(good.dropLast("/good.m3u8".count)), long]
        let reports = try await reports(on: sources)
        #expect(reports.map(\.source) == sources)
        #expect(reports.map(\.isRefused) == [false, true, true, true])
        #expect(reason(reports[1]) == "there is no such file")
        #expect(reason(reports[2]) == "cannot read the file: Is a directory")
        #expect(reason(reports[3]) == "more than 16777216 bytes")
    }

    @Test("A pipe is read until its end, and what has no end is refused as too long")
    func pipes() async throws {
        let folder = try TemporaryFolder("probe")
        let pipe = folder.path(of: "pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        // A reader that leaves early must not end the tests.
        signal(SIGPIPE, SIG_IGN)
        Thread.detachNewThread {
            guard let file = FileHandle(forWritingAtPath: pipe) else { return }
            for piece in Self.list.split(separator: "#") {
                try? file.write(contentsOf: Data("#\(piece)".utf8))
            }
            try? file.close()
        }
        let reports = try await reports(on: [pipe, "/dev/zero"])
        guard case .read(.media(let playlist)) = reports[0].outcome else {
            throw TestFailure("not a media playlist: \(reports[0])")
        }
        #expect(playlist.segments.map(\.uri) == ["a.ts"])
        #expect(reason(reports[1]) == "more than 16777216 bytes")
    }

    /// An origin with a playlist, one behind a redirect that needs a variable of its URL, and a page.
    static func origin(_ request: HTTPRequest) -> HTTPAnswer? {
        let defined = list.replacing("a.ts", with: "{$token}.ts")
            .replacing("#EXTM3U", with: "#EXTM3U\n#EXT-X-DEFINE:QUERYPARAM=\"token\"")
        let texts = ["/good": list, "/defined": defined, "/page": "<html>"]
        if request.path == "/gzip", let block = try? DeflateBlock.compressing(Array(list.utf8)) {
            var trailer = GzipJoin.Trailer()
            trailer.append(block)
            let bytes = GzipJoin.header + block.bytes + trailer.bytes
            return .now(HTTPResponse(status: .ok, body: .bytes(bytes)))
        }
        if request.path == "/moved" {
            return .now(HTTPResponse(status: .found, headers: ["Location": "/defined?token=secret"]))
        }
        guard let text = texts[request.path] else { return nil }
        return .now(HTTPResponse(status: .ok, body: .bytes(Array(text.utf8))))
    }

    @Test("URLs are fetched, with redirects and the variables of the last URL, also undeclared gzip")
    func urls() async throws {
        let (sources, reports) = try await withHTTPServer(FunctionHandler(Self.origin)) { server in
            let root = "http://127.0.0.1:\(server.port)"
            let sources = ["good", "moved", "page", "none", "gzip"].map { "\(root)/\($0)" } + ["HTTP://[bad"]
            return (sources, try await self.reports(on: sources))
        }
        #expect(reports.map(\.source) == sources)
        #expect(reports.map(\.isRefused) == [false, false, true, true, false, true])
        guard case .read(.media(let playlist)) = reports[1].outcome else {
            throw TestFailure("not a media playlist")
        }
        #expect(playlist.segments.map(\.uri) == ["secret.ts"])
        #expect(reason(reports[3]) == "the server answered with status 404")
    }

    @Test("A URL of another scheme is refused as such; a path that only looks like one is a file")
    func otherSchemes() async throws {
        let reports = try await reports(on: ["ftp://a/b", "file:///none.m3u8", "./ftp://a/b"])
        #expect(reason(reports[0]) == "the URL's scheme is ftp, not http or https")
        #expect(reason(reports[1]) == "the URL's scheme is file, not http or https")
        #expect(reason(reports[2]) == "there is no such file")
    }

    @Test("A server that is not there is refused with a reason")
    func unreachable() async throws {
        let reports = try await reports(on: ["http://127.0.0.1:1/list.m3u8"])
        #expect(reason(reports[0])?.isEmpty == false)
    }
}
