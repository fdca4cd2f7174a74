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
            _ = try await viewer.catalogue.revoke(grant.id, now: at(100_000))
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

    private func stream(_ viewer: ViewerFixture, _ path: String) async throws -> any HTTPBodySource {
        guard case .stream(_, let source) = await viewer.begun(path).body else {
            throw TestFailure("\(path) is no stream")
        }
        return source
    }
}
