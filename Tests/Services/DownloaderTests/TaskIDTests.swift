import HTTP
import Testing

@testable import Downloader

@Suite("Ids of tasks")
struct TaskIDTests {
    @Test("The id has the last words of the path and eight digits of the digest, and no token")
    func made() throws {
        let id = try TaskID.made(for: HTTPURL("https://cdn.example/live/News/index.m3u8?token=1"))
        #expect(id.hasPrefix("live-news-index-"))
        #expect(id.utf8.count == "live-news-index-".utf8.count + 8)
        #expect(TaskID.isValid(id))
        #expect(try id == TaskID.made(for: HTTPURL("https://CDN.example:443/live/News/index.m3u8?token=2")))
        #expect(try id != TaskID.made(for: HTTPURL("https://other.example/live/News/index.m3u8")))
    }

    @Test("Escapes in a path are read before words, titles and file names are made of it")
    func escapes() throws {
        let url = try HTTPURL("http://origin.test/a/Ein%20Film%20%C3%BC%C3%A4.mp4")
        #expect(try TaskID.made(for: url).hasPrefix("a-ein-film-"))
        #expect(TaskID.title(for: url) == "Ein Film üä")
        #expect(TaskRunner.fileName(of: url) == "Ein_Film_.mp4")
        for (path, name) in [
            ("a__b--c.ts", "a__b--c.ts"), ("%D0%9A%D0%B8.mp4", "_.mp4"), ("x%2Fy%zz", "x_y_zz"),
            ("..%2F..%2Fx", "_.._x"), ("task.json", "file-task.json"), ("a%", "a_"),
        ] {
            #expect(try TaskRunner.fileName(of: HTTPURL("http://origin.test/\(path)")) == name)
        }
    }

    @Test("A playback token of Backcast in the path is no part of it")
    func playbackToken() throws {
        let id = try TaskID.made(for: HTTPURL("http://a.example/live/news/index.m3u8"))
        #expect(try id == TaskID.made(for: HTTPURL("http://a.example/t/secret/live/news/index.m3u8")))
        // Elsewhere the same words are a path as any other.
        for path in ["t/secret/film.m3u8", "a/t/secret/live/news/index.m3u8", "t/live/news/index.m3u8"] {
            #expect(try HTTPURL("http://a.example/\(path)").redactedPath == "/\(path)")
        }
    }

    @Test("The digest is that of scheme, host and path")
    func digest() throws {
        // printf %s http://origin.test/a.m3u8 | sha256sum
        #expect(try TaskID.made(for: HTTPURL("http://origin.test:80/a.m3u8?x=1")) == "a-ae9a2062")
    }

    @Test("The words of a window follow, so that each window is a task of its own")
    func window() throws {
        var request = DownloadRequest(url: "http://origin.test/live/news/index.m3u8")
        let plain = try request.taskID()
        request.begin = "2026-11-22T10:00:00Z"
        request.duration = "30m"
        let window = try request.taskID()
        #expect(window != plain)
        #expect(window.hasSuffix("-2026-11-22t10-00-00z-30m"))
        #expect(TaskID.isValid(window))
    }

    @Test("Long paths still give valid ids")
    func long() throws {
        let path = String(repeating: "word-", count: 200)
        let id = try TaskID.made(
            for: HTTPURL("http://origin.test/\(path)/index.m3u8"), words: ["2026-11-22T10:00:00.000Z", "3h"])
        #expect(TaskID.isValid(id))
    }

    @Test(
        "What is no id",
        arguments: ["", "events", "-a", "_a", "A", "a/b", "..", "a b", String(repeating: "a", count: 64)])
    func invalid(text: String) {
        #expect(!TaskID.isValid(text))
    }

    @Test("A time range is read by its colons")
    func ranges() throws {
        let range = try #require(TimeRange("0:10:00-1:00:30"))
        #expect(range.begin == 600 && range.end == 3630)
        #expect(TimeRange("90-120")?.begin == 90)
        for text in ["", "5", "10-5", "a-b", "1:60-2:00", "0:00:00-", "-5-9"] {
            #expect(TimeRange(text) == nil, "\(text)")
        }
    }
}
