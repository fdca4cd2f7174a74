import Foundation
import HTTP
import TestSupport
import Testing

@testable import HTTPClient

@Suite("Samples for nginx", .timeLimit(.minutes(30)), .serialized)
struct ProxySampleTests {
    private static let secret = "Zm9yLW5vYm9keQ"
    /// What is asked for, and how the log shows it.
    private static let paths = [
        ("/live/news/index.m3u8", "/live/news/index.m3u8"), ("/live/news/v0/1-0.ts", "/live/news/v0/1-0.ts"),
        ("/live/news/index.m3u8?token=\(secret)", "/live/news/index.m3u8"),
        ("/t/\(secret)/live/news/v0.m3u8", "/t/-/live/news/v0.m3u8"),
        ("/t/\(secret)/live/news/v0/1-0.ts", "/t/-/live/news/v0/1-0.ts"), ("/t/\(secret)", "-"),
        ("/t/a/live/viewer/\(secret)", "-"), ("/t/a/live/viewer/\(secret)/7.ts", "-"),
        ("/t/\(secret)/iptv/channels.m3u", "-"), ("/live/viewer/\(secret)/7.ts", "-"),
        ("/live/viewer/\(secret)/7", "-"),
        ("/timeshift/viewer/\(secret)/60/2026-11-21:20-00/7.ts", "/timeshift/-"),
        ("/player_api.php?username=viewer&password=\(secret)", "/player_api.php"),
        ("/streaming/timeshift.php?password=\(secret)", "/streaming/timeshift.php"),
        ("/viewer/\(secret)/7", "-"), ("//t/\(secret)/live/news/index.m3u8", "-"),
    ]

    /// The sample with files in a folder, and no server behind it.
    private static func sample(_ name: String, _ folder: String, _ port: UInt16) throws -> String {
        let file = URL(filePath: #filePath).appending(path: "../../../../deploy/\(name)").standardized
        let certificate = """
            listen 127.0.0.1:\(port) ssl http2; ssl_certificate \(folder)certificate.pem;
            ssl_certificate_key \(folder)key.pem;
            """
        var text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        let hasTLS = text.contains("listen 443 ssl http2;")
        let plain = hasTLS ? "listen 127.0.0.1:\(try PrivateNginx.freePort());" : certificate
        let replaced = [
            ("listen 80;", plain), ("listen 443 ssl http2;", certificate),
            ("127.0.0.1:8080;", "127.0.0.1:1;"), ("127.0.0.1:8082;", "127.0.0.1:1;"),
            ("/var/log/nginx/", folder), ("/var/cache/backcast", "\(folder)cache"),
        ]
        for (old, new) in replaced { text = text.replacing(old, with: new) }
        let dropped = ["listen [::]", "ssl_certificate ", "ssl_certificate_key "]
        return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
            !dropped.contains { line.trimmingPrefix(while: \.isWhitespace).hasPrefix($0) }
                || line.contains(folder)
        }.joined(separator: "\n")
    }

    @Test(
        "No log has a token or a password, and all others are shown", .serialized,
        arguments: ["nginx.conf.sample", "nginx-cache.conf.sample"])
    func logs(name: String) async throws {
        try await withNginx(serving: { try Self.sample(name, $0, $1) }) { nginx in
            try await withClient(certificateFile: nginx.certificateFile) { client in
                let session = try client.makeSession(SessionOptions(host: "localhost"))
                try await eventually("nginx") {
                    try #require(nginx.isRunning)
                    return (try? await session.fetch(nginx.url(), .small)) != nil
                }
                for (path, _) in Self.paths {
                    _ = try await session.fetch(nginx.url("localhost", path), .small)
                }
            }
            // nginx writes the line of a request after its answer.
            try? await eventually("the last line") {
                try Self.shownPaths(in: nginx.folder).count > Self.paths.count
            }
            #expect(try Self.shownPaths(in: nginx.folder).dropFirst() == Self.paths.map(\.1)[...])
            let names = try FileManager.default.contentsOfDirectory(atPath: nginx.folder.path())
            for log in names where log.hasSuffix(".log") {
                let text = try String(contentsOf: nginx.folder.appending(path: log), encoding: .utf8)
                #expect(!text.contains(Self.secret), "\(log): \(text)")
            }
        }
    }

    private static func shownPaths(in folder: URL) throws -> [String] {
        let text = try String(contentsOf: folder.appending(path: "backcast.log"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            line.split(separator: " ").dropFirst(3).first.map(String.init)
        }
    }
}
