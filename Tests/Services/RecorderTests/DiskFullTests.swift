import Monitoring
import SegmentStore
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Recorder

@Suite("A disk that is full for a while")
struct DiskFullTests {
    @Test("does not cost a segment that the source still lists")
    func fetched() async throws {
        try await Origin.run { origin in
            origin.serve("/7.vtt", Ciphered.subtitles(comments: 3))
            let isFull = Mutex(true)
            var fetcher = try origin.fetcher(store: MemorySegmentStore())
            fetcher = SegmentFetcher(
                channel: fetcher.channel, rendition: fetcher.rendition, link: fetcher.link,
                store: fetcher.store, keys: fetcher.keys, initializations: fetcher.initializations,
                encryption: fetcher.encryption, isDiskFull: { isFull.withLock { $0 } })
            var request = Ciphered.lastTry("7.vtt", at: try origin.url("/index.m3u8"))
            (request.attempt, request.isLast) = (1, false)

            var driver = try StateDriver([try origin.source("/index.m3u8")])
            let opening = driver.send(.journalRead(.success([])), at: 0)
            let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n7.vtt\n#EXTINF:6,\n8.vtt\n"
            var listed: [SegmentRequest] = []
            for request in opening.playlistRequests {
                listed += try driver.answer(request, text, at: 0.1).segmentRequests
            }
            let first = try #require(listed.first)
            let failure = try #require(await fetcher.outcome(of: request).failure)
            #expect(failure.reason == .diskFull)
            driver.send(.segmentFailed(failure, first), at: 0.2)
            #expect(driver.state.progress.renditions[video(0)]?.status.lost == [:])
            isFull.withLock { $0 = false }
            #expect(driver.send(.clockAdvanced, at: 1).segmentURIs == ["7.vtt"])
            #expect(await fetcher.outcome(of: request).stored != nil)
        }
    }

    /// One segment is listed and asked for.
    private static func listed() throws -> (driver: StateDriver, request: SegmentRequest) {
        var driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n7.ts\n"
        var requests: [SegmentRequest] = []
        for request in driver.send(.journalRead(.success([])), at: 0).playlistRequests {
            requests += try driver.answer(request, text, at: 0.1).segmentRequests
        }
        return (driver, try #require(requests.first))
    }

    @Test("is said in words as long as nothing is stored")
    func words() throws {
        var (driver, first) = try Self.listed()
        #expect(driver.state.lastStatus.detail == nil)
        driver.send(.segmentFailed(FetchFailure(.diskFull, "the disk is full"), first), at: 0.2)
        #expect(driver.state.lastStatus.detail == "the disk is full: segments are not stored")
        let next = try #require(driver.send(.clockAdvanced, at: 1).segmentRequests.first)
        let stored = PartialSegmentTests.stored(next.segment, measured: 6 * seconds, timestamp: 0)
        driver.send(.segmentStored(stored, next), at: 1.1)
        #expect(driver.state.lastStatus.detail == nil)
    }

    @Test("is the reason for a segment that the source does not hold any more when there is room again")
    func tooLate() throws {
        var (driver, first) = try Self.listed()
        driver.send(.segmentFailed(FetchFailure(.diskFull, "the disk is full"), first), at: 0.2)
        var next = try #require(driver.send(.clockAdvanced, at: 1).segmentRequests.first)
        next.isLast = true
        driver.send(.segmentFailed(FetchFailure(status: 404), next), at: 2)
        #expect(driver.state.progress.renditions[video(0)]?.status.lost == [.diskFull: 1])
    }
}
