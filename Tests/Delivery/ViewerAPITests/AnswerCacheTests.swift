import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

/// A playlist that is asked for again is made once in a second and revision of its channel.
@Suite(.serialized) struct AnswerCacheTests {
    private let path = "/live/cctv2/index.m3u8"

    /// Asks until the answer is kept.
    private func warm(_ viewer: ViewerFixture, _ headers: HTTPHeaders = [:]) async throws -> ReceivedResponse
    {
        #expect(try await viewer.answersWithoutBlocking(path, headers, after: path))
        return try await viewer.get(path, headers)
    }

    @Test("The live playlist is kept with each of its forms, and for no longer than a second")
    func live() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            let first = try await warm(viewer)
            let again = try await viewer.get(path)
            #expect(again.text == first.text && again.headers["ETag"] == first.headers["ETag"])
            #expect(try await viewer.send(.head, path).status == 200)
            let packed = try await warm(viewer, ["Accept-Encoding": "gzip"])
            #expect(packed.headers["Content-Encoding"] == "gzip")
            #expect(try await gunzip(packed.body) == again.body)
            let tag = try #require(first.headers["ETag"])
            let unchanged = try await viewer.get(path, ["If-None-Match": tag])
            #expect(unchanged.status == 304 && unchanged.headers["ETag"] == tag)
            #expect(try await viewer.get(path, ["If-Match": "\"other\""]).status == 412)
            viewer.clock.now = viewer.clock.now + Microseconds.perSecond
            #expect(!viewer.answersWithoutBlocking(path))
        }
    }

    @Test("An answer is kept also if all that ask for it have it already", arguments: ["gzip", "identity"])
    func unchanged(coding: String) async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            let first = try await viewer.get(path, ["Accept-Encoding": coding])
            let tag = try #require(first.headers["ETag"])
            let again = try await warm(viewer, ["Accept-Encoding": coding, "If-None-Match": tag])
            #expect(again.status == 304 && again.headers["Content-Encoding"] == nil)
            let full = try await viewer.get(path, ["Accept-Encoding": coding])
            #expect(full.status == 200 && full.body == first.body)
            #expect(full.headers["Content-Encoding"] == first.headers["Content-Encoding"])
        }
    }

    @Test("A playlist that is requested twice is kept; other texts are never kept")
    func admitted() {
        let cache = AnswerCache()
        for (file, isKept) in [("v0.m3u8", true), ("frames.vtt", false)] {
            let key = AnswerCache.Key(path: "/live/cctv2/\(file)", query: nil, coding: .identity)
            #expect(!cache.admits(key))
            #expect(cache.admits(key) == isKept, "\(file)")
        }
    }

    @Test("What is published shows soon after")
    func published() async throws {
        try await ViewerFixture.with { viewer in
            try await viewer.record(Recording())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await viewer.api.run() }
                let before = try await warm(viewer)
                var longer = Recording(seconds: 60)
                longer.channel = "cctv2"
                try await viewer.recordMore(longer)
                try await eventually("the new segments are listed") {
                    try await viewer.get(path).uris.last != before.uris.last
                }
                group.cancelAll()
            }
        }
    }
}
