import Concurrency
import HTTP
import HTTPSupport
import TestSupport
import Testing

@testable import Downloader
@testable import HTTPClient

@Suite("What servers say about a refusal", .timeLimit(.minutes(30)))
struct RefusalTextTests {
    private func text(_ body: String, type: String?, url: String = "http://origin.test/a.ts") -> String? {
        let head = TransferHead(
            status: HTTPStatus(rawValue: 403), headers: type.map { ["Content-Type": $0] } ?? [:],
            effectiveURL: url, remoteAddress: "127.0.0.1", requestedAt: .now, firstRequestAt: .now,
            arrivedAt: .now)
        return RefusalText.reading(Array(body.utf8), of: head)
    }

    @Test(
        "It is the detail or the title of a problem document, or plain text, in one line",
        arguments: [
            (#"{"title":"Forbidden","detail":"Your token\nhas expired"}"#, "application/problem+json"),
            (#"{"title":"Your token has expired","status":403}"#, "Application/Problem+JSON; charset=utf-8"),
            (#"{"title":"Your token has expired","detail":" "}"#, "application/problem+json"),
            ("\r\nYour token\u{0}has expired\n", "text/plain; charset=utf-8"),
        ])
    func words(body: String, type: String) {
        #expect(text(body, type: type) == "Your token has expired")
    }

    @Test(
        "Other bodies say no more than the status",
        arguments: [
            ("<html>no</html>", "text/html"), ("no", nil), ("no", "application/octet-stream"),
            ("no", "application/problem+json"), (#"{"detail":7}"#, "application/problem+json"),
            ("[]", "application/problem+json"), (" \n", "text/plain"), ("", "text/plain"),
        ] as [(String, String?)])
    func none(body: String, type: String?) {
        #expect(text(body, type: type) == nil)
    }

    @Test("It is bounded, and has neither the query nor the playback token of the URL")
    func bounds() {
        let long = String(repeating: "long ", count: 1000)
        #expect(text(long, type: "text/plain") == String(long.prefix(Limits.detailLength)))
        let (url, words) = ("http://origin.test/a.ts?t=secret", "no access to /a.ts?t=secret")
        #expect(text(words, type: "text/plain", url: url) == "no access to /a.ts?…")
        let shown = text(
            "no access to /t/secret/live/a.ts?t=1", type: "text/plain",
            url: "http://origin.test/t/secret/live/a.ts?t=1")
        #expect(shown == "no access to /live/a.ts?…")
    }

    @Test(
        "It has no part of a query either, where the text or the body is cut",
        arguments: [Limits.detailLength - 12, Limits.kindBytes - 12])
    func cut(spaceCount: Int) throws {
        let url = "http://origin.test/a.ts?t=secretsecretsecret"
        let space = String(repeating: spaceCount > Limits.detailLength ? " " : "a", count: spaceCount)
        let body = String("no \(space) /a.ts?t=secretsecretsecret".prefix(Limits.kindBytes))
        let shown = try #require(text(body, type: "text/plain", url: url))
        #expect(shown.hasPrefix("no") && !shown.contains("sec"))
    }

    @Test(
        "The error of a task has it, whatever was refused", arguments: [400, 403, 503],
        ["/vod/index.m3u8", "/vod/index1.ts", "/vod/secret.key"])
    func task(status: Int, path: String) async throws {
        try await FaultyOrigin.run(serving: .encrypted) { origin in
            let refusal = FaultyOrigin.Fault.refusal(
                status, type: "text/plain", text: "Your token has expired\n")
            origin.fail(path, Array(repeating: refusal, count: 20))
            let task = try await Downloading().run(origin.request())
            #expect(task.state == .failed)
            let detail = task.error?.detail ?? ""
            #expect(detail.hasSuffix("status \(status): Your token has expired"), "\(detail)")
        }
    }

    @Test("The error of a media file has it")
    func mediaFile() async throws {
        try await FaultyOrigin.run(serving: .transportStream) { origin in
            let refusal = FaultyOrigin.Fault.refusal(
                403, type: "application/problem+json", text: #"{"title":"Not in your country"}"#)
            origin.fail("/vod/index1.ts", [.garbled(after: .max)] + Array(repeating: refusal, count: 20))
            let task = try await Downloading().run(origin.request("/vod/index1.ts"))
            #expect(task.state == .failed)
            #expect(task.error?.detail.hasSuffix(": Not in your country") ?? false, "\(task)")
        }
    }
}
