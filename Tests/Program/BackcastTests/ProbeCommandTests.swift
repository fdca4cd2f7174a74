import Foundation
import HTTP
import HTTPServer
import HTTPSupport
import TestSupport
import Testing

@testable import Backcast

@Suite("Probe")
struct ProbeCommandTests {
    static let list = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n"

    /// Runs the program, without a database, and returns its status and what it printed on standard output.
    func run(_ arguments: [String]) async throws -> (status: Int32, lines: [String]) {
        let folder = try TemporaryFolder("output")
        let output = try folder.write("", to: "output")
        let bundle = try #require(CommandLine.arguments.first { $0.hasSuffix(".xctest") })
        let process = Process()
        process.executableURL = URL(filePath: bundle).deletingLastPathComponent().appending(path: "backcast")
        process.arguments = ["probe"] + arguments
        process.environment = [:]
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        let text = try String(contentsOfFile: output, encoding: .utf8)
        return (status, text.split(separator: "\n").map(String.init))
    }

    func object(_ line: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test("Thousands of files give a line of JSON each, in their order, and status 0")
    func manyFiles() async throws {
        let folder = try TemporaryFolder("probe")
        let few = try (0..<50).map { number in
            try folder.write("#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:\(number)\n", to: "\(number).m3u8")
        }
        let files = (0..<5_000).map { few[$0 % few.count] }
        let (status, lines) = try await run(["--json"] + files)
        #expect(status == 0)
        let reports = try lines.map(object)
        #expect(reports.map { $0["source"] as? String } == files)
        #expect(reports.map { $0["media_sequence"] as? Int } == (0..<5_000).map { $0 % few.count })
    }

    @Test(
        "Sources and flags may stand in any order; behind -- everything is a source",
        arguments: [
            (["probe", "a", "--json", "b", "c"], ["probe", "--json", "--", "a"], ["b", "c"]),
            (["probe", "--", "-a", "--json"], ["probe", "--", "-a"], ["--json"]),
            (["probe", "--help"], ["probe", "--help", "--"], []),
            (["run", "--listen", ":1"], ["run", "--listen", ":1"], []), ([], [], []),
        ] as [([String], [String], [String])])
    func order(given: [String], left: [String], sources: [String]) {
        var arguments = given
        #expect(ProbeCommand.takeFurtherSources(from: &arguments) == sources)
        #expect(arguments == left)
    }

    @Test("A refused source gives status 1; the others are reported all the same")
    func refused() async throws {
        let folder = try TemporaryFolder("probe")
        let good = try folder.write(Self.list, to: "good.m3u8")
        let page = try folder.write("<html>", to: "page.m3u8")
        let (status, lines) = try await run([page, good, "--json"])
        #expect(status == 1)
        #expect(try lines.map { try object($0)["kind"] as? String } == ["refused", "media"])
    }

    @Test("A URL is fetched, and without --json the report is for a person")
    func url() async throws {
        let handler = FunctionHandler { request in
            request.path == "/live.m3u8"
                ? .now(HTTPResponse(status: .ok, body: .bytes(Array(Self.list.utf8)))) : nil
        }
        try await withHTTPServer(handler) { server in
            let url = "http://127.0.0.1:\(server.port)/live.m3u8"
            let (status, lines) = try await run([url])
            #expect(status == 0)
            #expect(lines.first == "\(url): media playlist, can be recorded")
            let missing = try await run([url + ".none"])
            #expect(missing.status == 1)
            #expect(missing.lines == ["\(url).none: refused: the server answered with status 404"])
        }
    }

    @Test("Without a source the arguments are wrong")
    func noSource() async throws {
        let (status, lines) = try await run([])
        #expect(status == 2)
        #expect(lines.isEmpty)
    }
}
