import Concurrency
import HTTP
import HTTPClient
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("Requests that waited here for too long")
struct OwnLimitTests {
    private static let sources = ["one", "two"].map { SourceSettings(url: "http://\($0).test/live.m3u8") }

    private static func media(_ last: Int) -> String {
        let entries = (last - 2...last).map { "#EXTINF:6,\n\($0).ts\n" }
        return "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(last - 2)\n" + entries.joined()
    }

    /// Records for two minutes from sources of which the first is asked first.
    ///
    /// - Returns: the hosts that were asked, and what was logged
    private static func run(
        playlist: (Int) -> SourceError?, segment: FetchFailure?,
    ) throws -> (asked: Set<String>, messages: Set<String>) {
        var driver = try StateDriver(sources)
        var actions = driver.send(.journalRead(.success([])), at: 0)
        var (asked, messages): (Set<String>, Set<String>) = ([], [])
        for time in stride(from: 0.0, to: 120, by: 0.5) {
            var next: [RecordingAction] = []
            for action in actions {
                switch action {
                case .fetchPlaylist(let request):
                    asked.insert(request.use.source.url)
                    if let error = playlist(Int(time)) {
                        next += driver.send(.playlistFailed(error, request), at: time)
                    } else {
                        next += try driver.answer(request, media(Int(time) / 6 + 3), at: time)
                    }
                case .fetchSegment(let request):
                    guard let segment else { continue }
                    next += driver.send(.segmentFailed(segment, request), at: time)
                case .log(let message): messages.insert(message.text)
                default: break
                }
            }
            actions = next + driver.send(.clockAdvanced, at: time + 0.5)
        }
        return (asked, messages)
    }

    @Test("are not failures of the source: no other one is asked")
    func playlists() throws {
        for start in [0, 20] {
            let own = try Self.run(
                playlist: { $0 >= start ? .notAsked("too many") : nil }, segment: nil)
            #expect(own.asked == ["http://one.test/live.m3u8"])
            #expect(own.messages.contains("A playlist could not be requested in time"))
            #expect(!own.messages.contains("The source does not deliver"))
            let other = try Self.run(
                playlist: { $0 >= start ? .unreachable("no answer") : nil }, segment: nil)
            #expect(other.asked.count == 2)
        }
    }

    @Test(
        "A segment is asked for again after what only another server of its host may do right",
        arguments: [
            (TransferError.tls("expired", isCertificate: true), true), (.tooManyRedirects(limit: 10), true),
            (.headTooLarge(limit: 100), true), (.connectionFailed("reset"), true),
            (.badRequest("no URL"), false), (.schemeRefused("ftp"), false), (.tooLarge(limit: 100), false),
        ])
    func certificate(error: TransferError, isRetried: Bool) {
        #expect(FetchFailure(error).isTransient == isRetried)
    }

    @Test("did not take that long to be answered", .timeLimit(.minutes(30)))
    func responseTime() async throws {
        try await Origin.run { origin in
            origin.serve("/live.m3u8", Self.media(3))
            origin.hang("/hanging.ts")
            var source = try origin.source("/live.m3u8")
            source.maxConnections = 1
            let link = try SourceClient(source, client: origin.client, policy: AddressPolicy())
            let hanging = Task {
                try await link.session.fetch(
                    try origin.url("/hanging.ts").absoluteString,
                    TransferOptions(byteLimit: 10, totalTimeout: .seconds(12)))
            }
            try await eventually { origin.requests(for: "/hanging.ts") == 1 }
            let begun = SteadyInstant.now
            let request = PlaylistRequest(
                use: SourceUse(number: 1, source: source), purpose: .opening, startedAt: begun)
            guard case .playlist(let fetched) = try await link.playlist(request, clock: .system) else {
                throw TestFailure("no playlist")
            }
            _ = await hanging.result
            #expect(SteadyInstant.now - begun > .seconds(6))
            #expect(fetched.responseTime < .seconds(5))
        }
    }

    @Test("for segments are not failures of the source either")
    func segments() throws {
        let own = try Self.run(playlist: { _ in nil }, segment: FetchFailure(TransferError.notStarted))
        #expect(own.asked == ["http://one.test/live.m3u8"])
        let other = try Self.run(playlist: { _ in nil }, segment: FetchFailure(.timedOut(.head)))
        #expect(other.asked.count == 2)
    }
}
