import HTTPSupport
import TestSupport
import Testing

@testable import Downloader

@Suite("Keys that cannot be had", .timeLimit(.minutes(2)))
struct MissingKeyTests {
    @Test("A missing or wrong key fails the task, and the error names the key")
    func keys() async throws {
        for key in [[UInt8](), Array("<html>".utf8), [UInt8](repeating: 0x20, count: 1 << 20)] {
            try await FaultyOrigin.run { origin in
                try await origin.serve(.encrypted)
                origin.serve("/vod/secret.key", key)
                let downloading = try Downloading()
                let task = try await downloading.run(origin.request())
                #expect(task.state == .failed)
                let detail = task.error?.detail ?? ""
                #expect(detail.hasPrefix("the key \(origin.url("/vod/secret.key")) "), "\(detail)")
                #expect(task.segmentsDone == 0)
            }
        }
    }

    @Test("The name of a key in an error has neither query nor token, and fits a line")
    func keyName() async throws {
        try await FaultyOrigin.run { origin in
            try await origin.serve(.encrypted)
            let path = "/t/token/live/" + String(repeating: "long/", count: 200) + "2.key"
            let text = String(decoding: try #require(origin.bytes("/vod/index.m3u8")), as: UTF8.self)
            origin.serve("/vod/index.m3u8", text.replacing("secret.key", with: "\(path)?secret=1"))
            let detail = try await Downloading().run(origin.request()).error?.detail ?? ""
            #expect(detail.contains("…") && detail.contains("/2.key cannot be fetched"), "\(detail)")
            #expect(!detail.contains("secret") && !detail.contains("token") && detail.count < 300)
        }
    }
}
