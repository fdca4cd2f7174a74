import Catalogue
import HLS
import Journal
import Testing
import Timeline

@testable import Recorder

@Suite("Missed entries")
struct MissedEntriesTests {
    private func held(_ numbers: (Int64, Double, Double)...) -> MissedEntries {
        MissedEntries(
            Dictionary(
                numbers.map { ($0.0, TimeWindow(begin: at($0.1), end: at($0.2))) },
                uniquingKeysWith: { a, _ in a }))
    }

    private func windows(_ found: [(index: Int, window: TimeWindow)]) -> [[Double]] {
        found.map {
            [
                Double($0.index), PublisherStage.seconds($0.window.begin),
                PublisherStage.seconds($0.window.end),
            ]
        }
    }

    @Test("Entries between held ones get the time that these leave")
    func between() {
        let missed = held((10, 100, 106), (13, 117, 123))
        #expect(windows(missed.found(in: list(9...15), before: 7)) == [[2, 106, 112], [3, 112, 117]])
    }

    @Test("An entry whose EXTINF is of no use gets the target duration", arguments: [0, -1, Int64.max])
    func unusableDuration(duration: Int64) {
        let missed = held((10, 100, 106), (13, 117, 123))
        var one = list(9...15)
        one.segments[2].durationMicroseconds = duration
        #expect(windows(missed.found(in: one, before: 7)) == [[2, 106, 112], [3, 112, 117]])
    }

    @Test("Where the held ones leave no time, there is nothing to fetch")
    func noRoom() {
        let missed = held((10, 100, 106), (12, 106, 112))
        #expect(missed.found(in: list(9...15), before: 7).isEmpty)
    }

    @Test("A long playlist is compared with as many held ones at once", .timeLimit(.minutes(30)))
    func long() {
        let count = 10_000
        let missed = MissedEntries(
            Dictionary(
                uniqueKeysWithValues: stride(from: 0, to: count, by: 2).map {
                    (Int64($0), TimeWindow(begin: at(Double($0) * 6), end: at(Double($0 + 1) * 6)))
                }))
        let playlist = list(0...(count - 1))
        var found = 0
        let time = ContinuousClock().measure { found = missed.found(in: playlist, before: count).count }
        #expect(found == count / 2 - 1)
        // Comparing each entry with all that is held took minutes here.
        #expect(time < .seconds(40))
    }

    @Test("What lies before the first held, behind the last held or behind the given end is not missed")
    func outside() {
        let missed = held((10, 100, 106), (14, 124, 130))
        #expect(windows(missed.found(in: list(5...20), before: 8)) == [[6, 106, 112], [7, 112, 118]])
        #expect(held((10, 100, 106)).found(in: list(5...20), before: 16).isEmpty)
        #expect(MissedEntries().found(in: list(5...20), before: 16).isEmpty)
    }

    @Test("The first entry of a playlist follows the one before it, which is not listed any more")
    func first() {
        let missed = held((9, 100, 106), (11, 112, 118))
        #expect(windows(missed.found(in: list(10...12), before: 2)) == [[0, 106, 112]])
        // Between others that are unknown nothing shows where it begins.
        #expect(held((8, 94, 100), (11, 112, 118)).found(in: list(10...12), before: 2).isEmpty)
        let placed = [Int64(9): TimeWindow(begin: at(100), end: at(106))]
        let found = held((11, 112, 118)).found(in: list(10...12), before: 2, placed: placed)
        #expect(windows(found) == [[0, 106, 112]])
    }

    /// What a killed process knew of the segment that it was fetching.
    enum Left: CaseIterable {
        case nothing
        /// That it was listed.
        case listed
        /// That another node has stored it without its key.
        case withoutKey
        /// A part of it.
        case part
    }

    @Test(
        "A first playlist with nothing new shows what is asked for at once, and once",
        arguments: Left.allCases)
    func nothingNew(left: Left) throws {
        let source = SourceSettings(url: "http://one.test/live.m3u8")
        var known = (Int64(9)...12).map {
            KnownSegment(
                run: 7, number: $0, start: at(Double($0) * 6), duration: 6 * seconds, isLost: false,
                digest: [1])
        }
        switch left {
        case .nothing: known.remove(at: 2)
        case .listed: (known[2].isListed, known[2].digest) = (true, [])
        case .withoutKey: (known[2].isKeyPending, known[2].digest) = (true, [])
        case .part:
            known[2].digest = []
            known[2].part = KnownIncompleteSegment(plainBytes: 400, flags: .damaged, revision: 0)
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 3, known: known)
        let run = SourceRun(
            id: 7, source: SourceClient.identity(source.url), began: at(0), clock: "arrival")
        var driver = try StateDriver([source], heads: [head], newestRun: run, begun: 79)
        var actions = driver.send(.journalRead(.success([])), at: 79)
        var fetched: [[SegmentRequest]] = []
        for (first, time) in [(10, 79.0), (11, 85)] {
            let text =
                "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(first)\n"
                + (first...first + 2).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
            var next = try driver.answer(try #require(actions.playlistRequests.first), text, at: time)
            while let probe = next.probes.first {
                next = driver.send(.segmentProbed(ProbedSegment(digest: [1]), probe), at: time)
            }
            fetched.append(next.segmentRequests)
            actions = driver.send(.clockAdvanced, at: time + 6)
        }
        #expect(fetched.map { $0.map(\.segment.entry.uri) } == [["11.ts"], ["13.ts"]])
        let missed = try #require(fetched.first?.first)
        #expect(missed.segment.identity.run == 7)
        #expect(missed.segment.placed.window == TimeWindow(begin: at(66), end: at(72)))
        #expect(missed.held?.byteCount == (left == .part ? 400 : nil))
    }

    @Test(
        "What another node stored without its key is lost once it is not listed; what this node did waits on",
        arguments: [false, true])
    func unlistedWithoutKey(isOwn: Bool) throws {
        let source = SourceSettings(url: "http://one.test/live.m3u8")
        let known = (Int64(9)...12).map {
            KnownSegment(
                run: 7, number: $0, start: at(Double($0) * 6), duration: 6 * seconds, isLost: false,
                digest: $0 == 11 ? [] : [1], isKeyPending: $0 == 11)
        }
        let head = RenditionHead(
            description: RenditionDescription(id: video(0)), nextNumber: 3, known: known)
        let run = SourceRun(
            id: 7, source: SourceClient.identity(source.url), began: at(0), clock: "arrival")
        var driver = try StateDriver([source], heads: [head], newestRun: run, begun: 91)
        let waiting = KeyPendingSegment(
            channel: PublisherStage.fact(video(0), 0).channel,
            identity: SegmentIdentity(rendition: video(0), run: 7, number: 11), start: at(66),
            duration: 6 * seconds, container: .transportStream,
            cipher: .init(keyURL: "http://one.test/key", iv: []), arrived: at(72),
            source: SourceClient.identity(source.url))
        let line = JournalLineRead(
            position: JournalPosition(file: 1, line: 0), entry: .keyPending(waiting))
        var actions = driver.send(.journalRead(.success(isOwn ? [line] : [])), at: 91)
        let text =
            "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:12\n"
            + (12...14).map { "#EXTINF:6,\n\($0).ts\n" }.joined()
        actions = try driver.answer(try #require(actions.playlistRequests.first), text, at: 91)
        while let probe = actions.probes.first {
            actions = driver.send(.segmentProbed(ProbedSegment(digest: [1]), probe), at: 91)
        }
        var losses: [Loss] = []
        for case .journal(let entries) in actions {
            for case .loss(let loss) in entries { losses.append(loss) }
        }
        #expect(losses.map(\.reason) == (isOwn ? [] : [.keyMissing]))
        #expect(losses.allSatisfy { $0.window == TimeWindow(begin: at(66), end: at(72)) })
    }
}
