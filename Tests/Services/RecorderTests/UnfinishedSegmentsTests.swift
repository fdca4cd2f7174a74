import Catalogue
import Concurrency
import HLS
import HTTP
import HTTPClient
import Monitoring
@testable import Journal
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("What a recorder was still to fetch when it ended")
struct UnfinishedSegmentsTests {
    private static let source = SourceSettings(url: "http://one.test/live.m3u8")
    private static let media = """
        #EXTM3U
        #EXT-X-TARGETDURATION:6
        #EXTINF:6,
        0.ts
        #EXTINF:6,
        1.ts

        """

    /// Of two segments one rests between two tries, and one is being fetched, when the recorder is stopped.
    private static func stopped(_ source: SourceSettings = source) throws -> [SegmentRequest] {
        var driver = try StateDriver([source])
        var listed: [SegmentRequest] = []
        for request in driver.send(.journalRead(.success([])), at: 0).playlistRequests {
            listed += try driver.answer(request, media, at: 12).segmentRequests
        }
        driver.send(.segmentFailed(FetchFailure(status: 404), try #require(listed.first)), at: 12.1)
        driver.send(.stopRequested, at: 12.2)
        driver.send(.clockAdvanced, at: 20.5)
        return driver.state.unfinished
    }

    @Test("is fetched by the next one, also where the source does not list it any more")
    func resumed() throws {
        let unfinished = try Self.stopped()
        #expect(unfinished.map(\.segment.entry.uri) == ["0.ts", "1.ts"])
        var driver = try StateDriver([Self.source], unfinished: unfinished, begun: 21)
        let actions = driver.send(.journalRead(.success([])), at: 21)
        #expect(actions.segmentURIs == ["0.ts", "1.ts"])
        for request in actions.playlistRequests {
            // Once is enough where it is still listed.
            let again = try driver.answer(request, Self.media, at: 21.5)
            #expect(again.segmentURIs.isEmpty)
        }
    }

    @Test("is fetched from its source as that is set now, such as with another header or token")
    func changedSource() throws {
        let tokens = [1, 2].map { SourceSettings(url: "\(Self.source.url)?token=\($0)") }
        let referer = SourceSettings(url: Self.source.url, headers: ["Referer": "http://one.test/"])
        for (former, source) in [(Self.source, referer), (tokens[0], tokens[1])] {
            var driver = try StateDriver([source], unfinished: try Self.stopped(former), begun: 21)
            let requests = driver.send(.journalRead(.success([])), at: 21).segmentRequests
            #expect(requests.map(\.segment.entry.uri) == ["0.ts", "1.ts"])
            #expect(requests.allSatisfy { $0.use.source == source })
            #expect(driver.state.progress.renditions[video(0)]?.status.lost ?? [:] == [:])
        }
    }

    @Test("is left to the one behind that, where the next one ends before it has read the journal")
    func interrupted() throws {
        let unfinished = try Self.stopped()
        var driver = try StateDriver([Self.source], unfinished: unfinished, begun: 21)
        driver.send(.stopRequested, at: 21.1)
        #expect(driver.state.unfinished.map(\.segment.entry.uri) == ["0.ts", "1.ts"])
    }

    @Test("is lost with its reason when it cannot come any more")
    func expired() throws {
        let unfinished = try Self.stopped()
        for (sources, time) in [([Self.source], 400.0), ([SourceSettings(url: "http://other.test/")], 21)] {
            var driver = try StateDriver(sources, unfinished: unfinished, begun: time)
            #expect(driver.send(.journalRead(.success([])), at: time).segmentURIs.isEmpty)
            let lost = driver.state.progress.renditions[video(0)]?.status.lost
            #expect(lost == [.segmentExpired: 2])
        }
    }

    @Test("is looked for in another source when it cannot come any more")
    func soughtElsewhere() throws {
        let sources = [Self.source, SourceSettings(url: "http://other.test/", priority: 1)]
        var driver = try StateDriver(sources, unfinished: try Self.stopped(), begun: 400)
        driver.send(.journalRead(.success([])), at: 400)
        #expect(driver.state.filler.holes.map(\.source) == [Self.source.url])
        #expect(driver.state.filler.holes.map(\.window.microseconds) == [12_000_000])
    }

    @Test("is asked for again as what it is when a part of it is stored")
    func part() throws {
        var driver = try StateDriver([Self.source])
        var listed: [SegmentRequest] = []
        for request in driver.send(.journalRead(.success([])), at: 0).playlistRequests {
            listed += try driver.answer(request, Self.media, at: 12).segmentRequests
        }
        for (index, request) in listed.enumerated() {
            let stored = PartialSegmentTests.stored(
                request.segment, measured: nil, timestamp: nil, flags: index == 0 ? .damaged : [])
            driver.send(.segmentStored(stored, request), at: 12.1)
        }
        driver.send(.stopRequested, at: 12.2)
        driver.send(.clockAdvanced, at: 20.5)
        var next = try StateDriver([Self.source], unfinished: driver.state.unfinished, begun: 21)
        let asked = next.send(.journalRead(.success([])), at: 21).segmentRequests
        #expect(asked.map(\.segment.entry.uri) == ["0.ts"] && asked.first?.held?.revision == 0)
        #expect(next.state.publication.publisher.pendingCount == 0)
        var late = try StateDriver([Self.source], unfinished: driver.state.unfinished, begun: 400)
        #expect(late.send(.journalRead(.success([])), at: 400).segmentURIs.isEmpty)
        #expect(late.state.progress.renditions[video(0)]?.status.lost ?? [:] == [:])
    }

    @Test("is asked for again when a part of it is stored, and a try for more was stopped")
    func partCancelled() throws {
        var driver = try StateDriver([Self.source])
        var listed: [SegmentRequest] = []
        for request in driver.send(.journalRead(.success([])), at: 0).playlistRequests {
            listed += try driver.answer(request, Self.media, at: 12).segmentRequests
        }
        let first = try #require(listed.first)
        let stored = PartialSegmentTests.stored(
            first.segment, measured: nil, timestamp: nil, bytes: 5000, flags: .damaged, isCut: true)
        driver.send(.segmentStored(stored, first), at: 12.1)
        let retry = try #require(driver.send(.clockAdvanced, at: 12.5).segmentRequests.first)
        #expect(retry.segment.entry.uri == "0.ts" && retry.held != nil)
        driver.send(.stopRequested, at: 12.6)
        driver.send(.clockAdvanced, at: 21)
        driver.send(.segmentFailed(FetchFailure(TransferError.cancelled), retry), at: 21.1)
        let unfinished = driver.state.unfinished.filter { $0.segment.entry.uri == "0.ts" }
        #expect(unfinished.map { $0.held?.byteCount } == [5000])
    }

    @Test("A write that never ends does not keep the recorder from ending", .timeLimit(.minutes(30)))
    func stuck() async throws {
        let disk = StuckPerformer()
        let lease = Lease(
            fence: 1,
            publishedHead: PublishedHead(
                discontinuitySequence: 0, end: Instant(microseconds: 0), watermark: Instant(microseconds: 0),
                expiredBefore: Instant(microseconds: 0), targetSeconds: 0))
        let id = try #require(ChannelID("news"))
        let settings = ChannelSettings(id: id, title: "News", sources: [Self.source], retentionSeconds: nil)
        let clock = HostClock.system
        let state = RecordingState(
            channel: Channel(row: 1, settings: settings, version: 1), lease: lease, heads: [], newestRun: nil,
            at: Moment(date: clock.now(), steady: clock.steady()), seed: 7)
        let recorder = ChannelRecorder(state, performer: disk, clock: clock, logger: silentLogger)
        let run = Task { await recorder.run() }
        try await eventually { disk.isFetching }
        run.cancel()
        let result = await run.value
        #expect(result.ending == .stopped)
        #expect(result.unfinished.map(\.segment.entry.uri) == ["0.ts"])
        disk.release()
    }
}

/// A source that lists one segment, and a disk that does not answer when it is written.
private final class StuckPerformer: ActionPerforming {
    private let writing = Mutex<CheckedContinuation<Void, Never>?>(nil)

    var isFetching: Bool { writing.withLock { $0 != nil } }

    func release() { writing.withLock { $0 }?.resume() }

    func report(_ action: RecordingAction) {}

    func perform(_ action: RecordingAction) async -> RecordingEvent? {
        switch action {
        case .readJournal: return .journalRead(.success([]))
        case .journal(let entries):
            return .journalWritten(.success(entries.indices.map { JournalPosition(file: 1, line: $0) }))
        case .commit: return .catalogueAnswered(.success(true))
        case .fetchPlaylist(let request):
            guard let base = try? HTTPURL(request.use.source.url) else { return nil }
            var playlist = MediaPlaylist()
            playlist.targetDurationSeconds = 6
            playlist.segments = [MediaSegment(uri: "0.ts", durationMicroseconds: 6_000_000)]
            let now = Moment(date: HostClock.system.now(), steady: HostClock.system.steady())
            return .playlistArrived(
                FetchedPlaylist(playlist: .media(playlist), base: base, arrival: now), request)
        case .fetchSegment:
            await withCheckedContinuation { continuation in writing.withLock { $0 = continuation } }
            return nil
        default: return nil
        }
    }
}
