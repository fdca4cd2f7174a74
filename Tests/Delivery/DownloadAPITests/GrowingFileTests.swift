import Foundation
import HTTP
import HTTPSupport
import TestSupport
import Testing

@testable import DownloadAPI

@Suite("A media file that is played while it comes", .timeLimit(.minutes(30)))
struct GrowingFileTests {
    private static let path = "/film.ts"
    private static let address = "/downloads/film/film.ts"
    private static let bytes = SampleMovie.bytes(count: 3_000_000)
    /// Where the origin stops until it is released.
    private static let held = 600_000
    /// Where the player is.
    private static let seek = 2_500_000

    /// Adds the film, and waits until its first bytes are there.
    private static func add(_ fixture: PlayFixture, holding requests: Int = 2) async throws {
        fixture.origin.serve(path, bytes)
        fixture.origin.fail(path, Array(repeating: .held(after: held), count: requests))
        try await fixture.add(path, ["id": "film"])
        try await eventually("the first bytes") {
            try await fixture.client.get(address, ["Range": "bytes=0-0"]).status == 206
        }
    }

    private static func written(_ fixture: PlayFixture) throws -> [UInt8] {
        Array(try Data(contentsOf: fixture.folder.url.appending(path: "film/film.ts")))
    }

    @Test("What a player wants comes first, and no byte is fetched twice")
    func seek() async throws {
        try await PlayFixture.run { fixture in
            try await Self.add(fixture)
            let part = try await fixture.client.get(Self.address, ["Range": "bytes=\(Self.seek)-"])
            let isRight = part.status == 206 && part.body == Array(Self.bytes[Self.seek...])
            #expect(isRight)
            #expect(part.headers["Content-Range"] == "bytes 2500000-2999999/3000000")
            let end = try await fixture.client.get(Self.address, ["Range": "bytes=-5"])
            #expect(end.body == Array(Self.bytes.suffix(5)))
            #expect(try await fixture.client.get(Self.address, ["Range": "bytes=3000000-"]).isProblem(416))
            try await eventually("the end") { try await fixture.state("film") == "completed" }
            let isSame = try Self.written(fixture) == Self.bytes
            #expect(isSame)
            // After those for its kind, for all of it, and for one byte, which shows that there are ranges.
            let asked = fixture.origin.requests(for: Self.path).dropFirst(3)
            #expect(asked.first?.range == "bytes=2500000-2999999")
            let rest = try #require(asked.last?.range?.wholeMatch(of: /bytes=(\d+)-2499999/)?.1)
            let start = try #require(Int(rest))
            #expect(asked.count == 2 && (500_000...600_000).contains(start))
            let names = try FileManager.default.contentsOfDirectory(
                atPath: fixture.folder.path(of: "film"))
            #expect(Set(names).subtracting(["picture.jpg"]) == ["task.json", "film.ts"])
        }
    }

    @Test("A source without ranges is not given up, and what does not come in time gets a clear answer")
    func noRanges() async throws {
        try await PlayFixture.run { fixture in
            try await Self.add(fixture, holding: 6)
            let begun = ContinuousClock.now
            let part = try await fixture.client.get(Self.address, ["Range": "bytes=\(Self.seek)-"])
            let isRefused = part.isProblem(502)
            #expect(isRefused)
            // A whole part is waited for a minute.
            #expect(ContinuousClock.now - begun < .seconds(40))
            fixture.origin.release()
            try await eventually("the end") { try await fixture.state("film") == "completed" }
            let isSame = try Self.written(fixture) == Self.bytes
            #expect(isSame)
            let asked = fixture.origin.requests(for: Self.path).compactMap(\.range)
            #expect(asked.count { $0.hasPrefix("bytes=2500000-") } == 1)
        }
    }
}
