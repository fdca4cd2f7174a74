import Foundation
import HTTP
import HTTPServer
import Logging
import Telemetry
import Testing
import Timeline

@testable import Backcast

@Suite("The access log")
struct AccessLogTests {
    @Test("a request is a line with its id, and without its query", arguments: [Logger.Level.info, .error])
    func line(level: Logger.Level) throws {
        let text = try written(level: level) { log in
            log.finished(
                RequestSummary(
                    method: .get, path: "/live/news/index.m3u8", remoteAddress: "2001:db8::1",
                    requestID: "4f", status: .ok, byteCount: 1234, duration: .microseconds(1500),
                    isComplete: true))
        }
        #expect(
            text == """
                1970-01-01T00:00:00.000Z info backcast.access Request bytes=1234 client=2001:db8::1 method=GET \
                milliseconds=1.5 path=/live/news/index.m3u8 request=4f status=200

                """)
    }

    @Test("a request without an answer has status 0 and is not complete")
    func unanswered() throws {
        let text = try written { log in
            log.finished(
                RequestSummary(
                    method: .get, path: "", remoteAddress: "10.0.0.1", byteCount: 0, duration: .zero,
                    isComplete: false))
        }
        #expect(text.contains("complete=false") && text.contains("status=0") && !text.contains("request="))
    }

    @Test(
        "what may be a token in a path is not shown",
        arguments: [
            ("/live/a/v0.m3u8", "/live/a/v0.m3u8"), ("/t/secret/live/a/index.m3u8", "/t/-/live/a/index.m3u8"),
            ("/t/secret", "/t/-"), ("/timeshift/me/secret/60/a.ts", "/timeshift/-/-/60/a.ts"),
            ("/t/secret/timeshift/me/secret/60/a.ts", "/t/-/timeshift/-/-/60/a.ts"),
            ("/live/me/secret/7.ts", "/live/-/-/7.ts"), ("/live/a/v0/7.ts", "/live/a/v0/7.ts"),
            ("/live/a/keys/00", "/live/a/keys/00"), ("/t/secret/live/a/v0/7.ts", "/t/-/live/a/v0/7.ts"),
            ("/timeshift/me", "/timeshift/-"), ("", ""), ("/", "/"), ("/t", "/t"),
            ("//t/secret/live/a/v0.m3u8", "//t/-/live/a/v0.m3u8"),
            ("//live/me/secret/7.ts", "//live/-/-/7.ts"),
            ("/t//secret/live/a/v0.m3u8", "/t//-/live/a/v0.m3u8"), ("/me/secret/7", "/-/-/7"),
            ("/live/me/secret/", "/live/-/-/"), ("/api/v1/channels", "/api/v1/channels"),
        ])
    func masked(path: String, shown: String) {
        #expect(AccessLog.redacted(path) == shown)
    }

    private func written(level: Logger.Level = .info, _ use: (AccessLog) -> Void) throws -> String {
        let pipe = Pipe()
        let output = LogOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        use(
            AccessLog(
                Logger(label: "backcast.access") { label in
                    LineLogHandler(
                        label: label, level: level, format: .text, output: output,
                        now: { Instant(milliseconds: 0) })
                }))
        output.flush()
        try pipe.fileHandleForWriting.close()
        return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}
