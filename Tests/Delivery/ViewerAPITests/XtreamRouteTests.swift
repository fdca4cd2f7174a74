import Catalogue
import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import ViewerAPI

struct XtreamRouteTests {
    @Test("A live channel is also asked for by its number without the word live")
    func short() async throws {
        try await ViewerFixture.with { viewer in
            viewer.clock.now = at(40)
            try await viewer.record(Recording("news"))
            let channel = try await viewer.catalogue.channel(try #require(ChannelID("news")))
            let number = try #require(channel).row
            for (ending, file) in [
                ("", "timeshift_rel-0.ts"), (".ts", "timeshift_rel-0.ts"), (".m3u8", "index.m3u8"),
            ] {
                let answer = try await viewer.get("/user/p%40ss/\(number)\(ending)")
                #expect(answer.status == 302)
                #expect(answer.headers["Location"] == "../../live/news/\(file)")
            }
            #expect(try await viewer.get("/user/pass/7777.ts").isProblem(404))
        }
    }

    @Test(
        "Only a number is a channel below two folders, and no folder of the server is a user",
        arguments: [
            "/", "/healthz", "/readyz", "/metrics", "/api/v1/channels", "/api/v1/tokens", "/api/v1/7",
            "/api/v1/7.ts", "/healthz/a/7", "/metrics/a/7", "/readyz/a/7.m3u8", "/t/a/7", "/user/pass/news",
            "/user/pass/news.m3u8", "/user/pass/7.mp4", "/user/pass/", "/user/pass/.ts", "/user/pass/.m3u8",
            "//pass/7", "/user/7", "/user/7.ts", "/a/user/pass/7", "/user/pass/7/", "/movie/pass/7.ts",
            "/series/pass/7.ts", "/streaming/pass/7", "/recordings/a/7", "/exports/a/7.ts", "/user/pass/-7",
            "/user/pass/%zz",
        ])
    func otherPaths(path: String) {
        #expect(ListRoute(path: path) == nil)
    }
}
