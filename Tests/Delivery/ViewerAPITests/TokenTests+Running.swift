import Catalogue
import HTTP
import HTTPSupport
import TestSupport
import Testing
import Timeline

@testable import Access
@testable import ViewerAPI

/// What is being sent when a token ends.
extension TokenTests {
    @Test(
        "What is being sent breaks off when the token is revoked, and without an end also when it expires",
        arguments: ["download.ts?\(window(8, 24))", "timeshift_abs-\(stamp(8) / 1000).ts"])
    func running(target: String) async throws {
        try await protected { viewer async throws in
            let grant = Self.grant("cctv2", expires: 100_100)
            _ = try await viewer.catalogue.enter(IssuedToken(grant: grant, created: at(0)))
            let path = try Self.prefix(grant) + Self.live + target
            let sources = try await [stream(viewer, path), stream(viewer, path)]
            for source in sources { #expect(try await source.next(limit: 10)?.count == 10) }
            viewer.clock.now = at(100_100)
            if target.hasPrefix("download") {
                #expect(try await sources[0].next(limit: 10)?.count == 10)
            } else {
                await #expect(throws: GuardedStream.Withdrawn.self) { try await sources[0].next(limit: 10) }
            }
            viewer.clock.now = at(100_000)
            #expect(try await sources[1].next(limit: 10)?.count == 10)
            _ = try await viewer.catalogue.revoke(grant.id)
            try await viewer.api.access.read(isWhole: false)
            await #expect(throws: GuardedStream.Withdrawn.self) { try await sources[1].next(limit: 10) }
        }
    }

    @Test("A stream that goes on ends with its token, however far away that is, and does not begin before it")
    func endless() async throws {
        try await protected { viewer async throws in
            let asked = "timeshift_abs-\(Self.stamp(8) / 1000).ts"
            // The longest window is a day.
            let far = Self.grant("cctv2", to: 90_000)
            let cut = try await viewer.get(Self.prefix(far) + Self.live + asked)
            let query = Self.window(8, 86_408)
            #expect(cut.status == 302 && cut.headers["Location"] == "download.ts?\(query)")
            let open = try Self.prefix(Self.grant("cctv2", from: 8)) + Self.live + asked
            #expect(await viewer.begun(open).status == .ok)
            // The channel has stood still since before the token begins.
            let later = try Self.prefix(Self.grant("cctv2", from: 99_000))
            #expect(await viewer.begun(later + Self.live + "timeshift_rel-0.ts").status == .forbidden)
        }
    }

    @Test("A stream from an instant that is not recorded yet does not begin before its token")
    func endlessAheadOfLive() async throws {
        try await protected { viewer async throws in
            viewer.clock.now = at(60)
            let asked = "\(Self.live)timeshift_abs-\(Self.stamp(55) / 1000).ts"
            for (begin, status) in [(50.0, HTTPStatus.forbidden), (20, .ok), (28, .ok), (33, .forbidden)] {
                let prefix = try Self.prefix(Self.grant("cctv2", from: begin))
                #expect(await viewer.begun(prefix + asked).status == status, "\(begin)")
            }
            // What is published behind the instant needs nothing from before it.
            let recorded = "\(Self.live)timeshift_abs-\(Self.stamp(37) / 1000).ts"
            let late = try Self.prefix(Self.grant("cctv2", from: 37))
            #expect(await viewer.begun(late + recorded).status == .ok)
        }
    }

    @Test(
        "A live playlist does not reach back before the begin of its token",
        arguments: [("", ""), ("?dvr=12&gaps=tag", "&gaps=tag"), ("?timeshift=4", "")])
    func nearBegin(query: String, kept: String) async throws {
        try await protected { viewer async throws in
            viewer.clock.now = at(41)
            let live = try Self.prefix(Self.grant("cctv2", from: 22)) + Self.live
            let moved = try await viewer.get("\(live)index.m3u8\(query)")
            let location = "index.m3u8?\(Self.window(22, 86_422))&mode=event\(kept)"
            #expect(moved.status == 302 && moved.headers["Location"] == location)
            let playlist = try await viewer.get("\(live)\(location)")
            #expect(playlist.uris.count == 5)
            for uri in playlist.uris { #expect(try await viewer.get(live + uri).status == 200, "\(uri)") }
            // All that live lists is permitted.
            let earlier = try Self.prefix(Self.grant("cctv2", from: 0)) + Self.live
            #expect(try await viewer.get("\(earlier)index.m3u8\(query)").status == 200)
        }
    }

    @Test("A live playlist does not exist before it lists something of its token")
    func beforeBegin() async throws {
        try await protected { viewer async throws in
            viewer.clock.now = at(60)
            let live = try Self.prefix(Self.grant("cctv2", from: 45)) + Self.live
            for file in ["index.m3u8", "v0.m3u8", "index.m3u8?dvr=12"] {
                #expect(try await viewer.get(live + file).status == 404, "\(file)")
            }
        }
    }

    @Test("A time shift of one rendition near the begin of its token leads to that rendition's window")
    func nearBeginSingle() async throws {
        try await protected { viewer async throws in
            viewer.clock.now = at(41)
            let live = try Self.prefix(Self.grant("cctv2", from: 22)) + Self.live
            let moved = try await viewer.get("\(live)video-timeshift_rel-4.m3u8")
            let location = "video-\(Self.stamp(22))-86400.m3u8?mode=event"
            #expect(moved.status == 302 && moved.headers["Location"] == location)
            #expect(try await viewer.get("\(live)\(location)").uris.count == 5)
        }
    }

    @Test("What a token with limits permits is answered as fast as without limits")
    func atOnce() async throws {
        try await protected { viewer async throws in
            let prefix = try Self.prefix(Self.grant("cctv2", from: 4, to: 100_001)) + Self.live
            for path in ["v0/\(Self.stamp(8)).ts", "index.m3u8", "index.m3u8?\(Self.window(8, 24))"] {
                let whole = try Self.prefix(Self.grant("cctv2")) + Self.live
                let isSame = [prefix, whole].map { prefix in
                    switch viewer.api.answer(request(prefix + path)) {
                    case .now?: "now"
                    case .lightweight?: "lightweight"
                    case .later?: "later"
                    case .reserved?, nil: ""
                    }
                }
                #expect(isSame[0] == isSame[1], "\(path)")
            }
        }
    }

    /// A text with times in place of the letters that stand for them.
    static func filled(_ text: String, _ times: [String: Int64]) -> String {
        times.reduce(text) { $0.replacing($1.key, with: "\($1.value)") }
    }

    private func request(_ target: String) -> HTTPRequest {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        return HTTPRequest(method: .get, path: parts[0], query: parts.count > 1 ? parts[1] : nil)
    }

    private func stream(_ viewer: ViewerFixture, _ path: String) async throws -> any HTTPBodySource {
        guard case .stream(_, let source) = await viewer.begun(path).body else {
            throw TestFailure("\(path) is no stream")
        }
        return source
    }
}
