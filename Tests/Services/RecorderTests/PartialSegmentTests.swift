import Catalogue
import HLS
import HTTP
import Journal
import SegmentStore
import Testing
import Timeline

@testable import Recorder

@Suite("Parts of segments, and wrong EXTINF")
struct PartialSegmentTests {
    /// A segment as it was stored; it begins at so many seconds by its own clock.
    static func stored(
        _ segment: ListedSegment, measured: Int64?, timestamp: Double?, revision: Int16 = 0,
        bytes: Int64 = 1000, flags: SegmentFlags = [], isCut: Bool = false,
    ) -> StoredSegment {
        let name = SegmentName(
            start: segment.placed.start, revision: revision, fileExtension: .transportStream)
        let key = ArchiveKey.segment(PublisherStage.fact(video(0), 0).channel, video(0), name)
        return StoredSegment(
            object: CommittedObject(key: key, byteCount: bytes, digest: [UInt8(revision)], wasThere: false),
            format: SegmentFormat(container: .transportStream), flags: flags, plainBytes: bytes,
            firstTimestamp: timestamp.map { Int64($0 * 90_000) }, measuredDuration: measured, isCut: isCut)
    }

    /// Stores segments that say `said` seconds, of which each begins so long after the one before, and plays
    /// for `measured`.
    ///
    /// - Returns: the numbers of those that count as parts in the end, of those that did so at first, and of
    ///   those that are asked for again as the next one shows that their end is missing
    private func parts(
        said: Double, apart: Double?, measured: [Double],
    ) -> (atLast: Set<Int64>, atFirst: Set<Int64>, cut: [Int64]) {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto)
        progress.run = 7
        var playlist = list(0...(measured.count - 1))
        for index in playlist.segments.indices {
            playlist.segments[index].durationMicroseconds = Int64(said * 1_000_000)
        }
        let segments = progress.list(
            playlist, from: 0, opensHole: true, cause: nil, hole: .sourceStalled, arrival: arrived(100),
            shared: [:])
        var (atLast, atFirst): (Set<Int64>, Set<Int64>) = ([], [])
        var cut: [Int64] = []
        for (index, segment) in segments.enumerated() {
            let judgement = progress.judge(
                segment,
                Self.stored(
                    segment, measured: Int64(measured[index] * 1_000_000),
                    timestamp: apart.map { 50 + Double(index) * $0 }))
            if judgement.isIncomplete {
                atLast.insert(segment.identity.number)
                atFirst.insert(segment.identity.number)
            }
            for identity in judgement.whole { atLast.remove(identity.number) }
            for (segment, held) in judgement.cut {
                cut.append(segment.identity.number)
                progress.settled(segment.identity.number, held)
            }
        }
        return (atLast, atFirst, cut)
    }

    @Test("Damaged segments in a row do not end the tries for later ones that are only short")
    func damagedInARow() throws {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto)
        progress.run = 7
        let listed = progress.list(
            list(0...0), from: 0, opensHole: true, cause: nil, hole: .sourceStalled, arrival: arrived(100),
            shared: [:])
        let segment = try #require(listed.first)
        let damaged = IncompleteSegment(
            Self.stored(segment, measured: nil, timestamp: nil, flags: .damaged))
        let short = IncompleteSegment(Self.stored(segment, measured: seconds, timestamp: nil))
        for _ in 0..<Limits.incompleteInARow { progress.settled(0, damaged) }
        #expect(!progress.expectsBetterBytes(damaged))
        #expect(progress.expectsBetterBytes(short))
        for _ in 0..<Limits.incompleteInARow { progress.settled(0, short) }
        #expect(!progress.expectsBetterBytes(short))
        progress.settled(0, nil)
        #expect(progress.expectsBetterBytes(damaged) && progress.expectsBetterBytes(short))
    }

    @Test("Where the next segment begins where it ends, EXTINF is wrong and the segment is whole")
    func wrong() {
        let found = parts(said: 10, apart: 2, measured: Array(repeating: 2, count: 8))
        #expect(found.atLast.isEmpty)
        // The first one tells the ratio when it is known where it ends; until then the newest may be a part.
        #expect(found.atFirst == [0, 1])
    }

    @Test(
        "The bytes of a segment that turned out to be whole tell a restart later", arguments: [true, false])
    func bytes(isStoredFirst: Bool) {
        var progress = RenditionProgress(RenditionDescription(id: video(0)), choice: .auto)
        progress.run = 7
        let segments = progress.list(
            list(0...1), from: 0, opensHole: true, cause: nil, hole: .sourceStalled, arrival: arrived(100),
            shared: [:])
        var fact = PublisherStage.fact(video(0), 0)
        (fact.identity, fact.digest, fact.flags) = (segments[0].identity, [5], .short)
        for (index, segment) in segments.enumerated() {
            let stored = Self.stored(segment, measured: 2 * seconds, timestamp: Double(index) * 2)
            _ = progress.judge(segment, stored)
            if index == (isStoredFirst ? 0 : 1) { progress.count(fact) }
        }
        #expect(progress.digests[0] == [5])
    }

    @Test("Media that say that they play for years, or begin in eons, are not believed")
    func absurd() {
        #expect(parts(said: 6, apart: 6, measured: [6, 200_000_000, 6, 9e12]).atLast.isEmpty)
        #expect(parts(said: 6, apart: 4e13, measured: [6, 6, 6]).atLast.isEmpty)
    }

    @Test("Where the next segment begins much later, media are missing")
    func missing() {
        let found = parts(said: 6, apart: 6, measured: [6, 6, 2.4, 6, 2.4, 6, 4.3, 6, 6, 2.4])
        #expect(found.atLast == [2, 4, 9] && found.atFirst == found.atLast && found.cut == [6])
        #expect(
            parts(said: 6, apart: 6, measured: Array(repeating: 2.4, count: 6)).atLast == [0, 1, 2, 3, 4, 5])
    }

    @Test(
        "Where the next segment begins a little later, the end is missing, unless others play for no longer",
        arguments: [
            (6.0, 6.0, 4.3, true), (6, 6, 5.5, false), (4.5, 4.5, 4.3, false), (10, 6, 4.3, true),
            (3, 6, 4.3, true),
        ])
    func cut(said: Double, whole: Double, measured: Double, isCut: Bool) {
        let lengths = [whole, whole, whole, measured, whole, whole]
        #expect(parts(said: said, apart: 6, measured: lengths).cut == (isCut ? [3] : []))
    }

    @Test("A source that loses the end of every segment is asked now and then, not for each of them")
    func alwaysCut() {
        let count = 400
        let found = parts(said: 6, apart: 6, measured: Array(repeating: 4.5, count: count))
        #expect(found.cut.prefix(3) == [0, 1, 2])
        #expect(found.cut.count <= 3 + count / Limits.comparedSegments)
        #expect(found.cut.count > 6)
    }

    @Test("Without timestamps EXTINF alone proves nothing")
    func unknown() {
        #expect(parts(said: 6, apart: nil, measured: Array(repeating: 2, count: 6)).atFirst.isEmpty)
        #expect(parts(said: 2, apart: -10, measured: Array(repeating: 2, count: 6)).atFirst.isEmpty)
    }

    @Test("A segment that is much longer than EXTINF says is whole")
    func longer() {
        #expect(parts(said: 2, apart: 6, measured: Array(repeating: 6, count: 6)).atFirst.isEmpty)
    }
}

@Suite("A segment that is a part when it is listed")
struct PartialRecordingTests {
    /// A channel with a list of six-second segments; answers are given by the test.
    struct Recording {
        private var driver: StateDriver
        private var requests: [Int64: SegmentRequest] = [:]
        private(set) var segments: [DecidedSegment] = []
        private(set) var retries: [Double] = []

        private let discontinuity: Int64?

        /// A list of four segments; with one of them the timestamps may restart.
        init(discontinuityAt discontinuity: Int64? = nil) throws {
            self.discontinuity = discontinuity
            driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
            let actions = driver.send(.journalRead(.success([])), at: 0)
            let opening = try #require(actions.playlistRequests.first)
            take(actions, at: 0)
            let entries = (Int64(0)..<4).map { number in
                (number == discontinuity ? "#EXT-X-DISCONTINUITY\n" : "") + "#EXTINF:6,\n\(number).ts\n"
            }
            let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + entries.joined()
            take(try driver.answer(opening, text, at: 0), at: 0)
            pass(from: 0, until: 0.4)
        }

        /// Segments 0, 1 and 3 are whole, and two fifths of segment 2 have come.
        static func withPart() throws -> Recording {
            var recording = try Recording()
            for number: Int64 in [0, 1, 3] { recording.store(number, measured: 6, bytes: 1000, at: 0.5) }
            recording.store(2, measured: 2.4, bytes: 400, at: 0.5)
            return recording
        }

        private mutating func take(_ actions: [RecordingAction], at time: Double) {
            for action in actions {
                switch action {
                case .fetchSegment(let request):
                    if request.held != nil { retries.append(time) }
                    requests[request.segment.identity.number] = request
                case .readJournal:
                    take(driver.send(.journalRead(.success([])), at: time), at: time)
                case .commit(let batch):
                    segments += batch.segments
                    take(driver.send(.catalogueAnswered(.success(true)), at: time), at: time)
                default: break
                }
            }
        }

        mutating func pass(from begin: Double, until end: Double) {
            for time in stride(from: begin, through: end, by: 0.2) {
                take(driver.send(.clockAdvanced, at: time), at: time)
            }
        }

        mutating func store(
            _ number: Int64, measured: Double, bytes: Int64, revision: Int16 = 0, at time: Double
        ) {
            guard let request = requests.removeValue(forKey: number) else {
                Issue.record("segment \(number) is not asked for at \(time) s")
                return
            }
            let base: Double = discontinuity.map { number >= $0 } ?? false ? 20_000 : 0
            let stored = PartialSegmentTests.stored(
                request.segment, measured: Int64(measured * 1_000_000), timestamp: base + Double(number) * 6,
                revision: revision, bytes: bytes)
            take(driver.send(.segmentStored(stored, request), at: time), at: time)
        }

        /// The transfer of a segment is cut after so many bytes.
        mutating func cut(_ number: Int64, after bytes: Int64, revision: Int16 = 0, at time: Double) throws {
            let asked = requests.removeValue(forKey: number)
            let request = try #require(asked)
            let stored = PartialSegmentTests.stored(
                request.segment, measured: nil, timestamp: Double(number) * 6, revision: revision,
                bytes: bytes, flags: .damaged, isCut: true)
            take(driver.send(.segmentStored(stored, request), at: time), at: time)
        }

        mutating func fail(
            _ number: Int64, _ failure: FetchFailure = FetchFailure(.segmentMissing, "no better"),
            at time: Double,
        ) {
            guard let request = requests.removeValue(forKey: number) else { return }
            take(driver.send(.segmentFailed(failure, request), at: time), at: time)
        }

        mutating func holdJournal() { driver.holdJournal() }

        mutating func releaseJournal(at time: Double) { take(driver.releaseJournal(at: time), at: time) }

        mutating func refuseJournal(_ error: JournalError, at time: Double) {
            take(driver.refuseJournal(error, at: time), at: time)
        }

        var isAskedFor: Set<Int64> { Set(requests.keys) }
        var published: [Int64] { segments.filter { $0.number != nil }.map(\.fact.identity.number) }
    }

    @Test("is published whole when the rest comes in time")
    func inTime() throws {
        var recording = try Recording.withPart()
        recording.pass(from: 0.6, until: 3)
        #expect(recording.published == [0, 1])
        recording.store(2, measured: 6, bytes: 1000, revision: 1, at: 3)
        recording.pass(from: 3, until: 4)
        #expect(recording.published == [0, 1, 2, 3])
        let fact = try #require(recording.segments.first { $0.fact.identity.number == 2 }?.fact)
        #expect(fact.revision == 1 && fact.replaces == nil && fact.mediaDuration == 6_000_000)
        #expect(recording.segments.count == 4)
    }

    @Test("is asked for again as long as it grows, also when most of it has come")
    func grows() throws {
        var recording = try Recording.withPart()
        recording.pass(from: 0.6, until: 2)
        recording.store(2, measured: 4.4, bytes: 730, revision: 1, at: 2)
        recording.pass(from: 2, until: 3.4)
        recording.store(2, measured: 5.6, bytes: 930, revision: 2, at: 3.4)
        recording.pass(from: 3.4, until: 5)
        #expect(recording.published == [0, 1])
        recording.store(2, measured: 6, bytes: 1000, revision: 3, at: 5)
        recording.pass(from: 5, until: 6)
        #expect(recording.published == [0, 1, 2, 3])
        let fact = try #require(recording.segments.first { $0.fact.identity.number == 2 }?.fact)
        #expect(fact.revision == 3 && fact.flags == [] && fact.mediaDuration == 6_000_000)
        #expect(!recording.isAskedFor.contains(2))
    }

    @Test("may be the newest one, of which EXTINF alone tells how long it should be")
    func newestGrows() throws {
        var recording = try Recording()
        for number: Int64 in 0...2 { recording.store(number, measured: 6, bytes: 1000, at: 0.5) }
        recording.store(3, measured: 2.4, bytes: 400, at: 0.5)
        recording.pass(from: 0.6, until: 2)
        recording.store(3, measured: 4.4, bytes: 730, revision: 1, at: 2)
        recording.pass(from: 2, until: 3.4)
        #expect(recording.isAskedFor.contains(3) && recording.published == [0, 1, 2])
        // EXTINF may be rounded: more is not asked of it.
        recording.store(3, measured: 5.5, bytes: 920, revision: 2, at: 3.4)
        recording.pass(from: 3.4, until: 5)
        #expect(!recording.isAskedFor.contains(3) && recording.published == [0, 1, 2, 3])
    }

    @Test("is asked for again where only its end is missing, as the next one shows")
    func end() throws {
        var recording = try Recording()
        for number: Int64 in 0...1 { recording.store(number, measured: 6, bytes: 1000, at: 0.5) }
        recording.store(2, measured: 4.8, bytes: 800, at: 0.5)
        recording.pass(from: 0.6, until: 4)
        // What it says of itself is near enough: it is published.
        #expect(recording.published == [0, 1, 2] && recording.retries.isEmpty)
        recording.store(3, measured: 6, bytes: 1000, at: 4)
        recording.pass(from: 4, until: 4.4)
        recording.store(2, measured: 6, bytes: 1000, revision: 1, at: 4.5)
        recording.pass(from: 4.5, until: 30)
        #expect(recording.published == [0, 1, 2, 3] && recording.retries.count == 1)
        let repair = try #require(recording.segments.last)
        #expect(repair.number == nil && repair.fact.replaces == 0 && repair.fact.revision == 1)
        #expect(repair.fact.mediaDuration == 6_000_000)
    }

    @Test("is asked for twice where only its end is missing and the source has no more of it")
    func endIsMissing() throws {
        var recording = try Recording()
        for number: Int64 in [0, 1, 3] { recording.store(number, measured: 6, bytes: 1000, at: 0.5) }
        recording.store(2, measured: 4.8, bytes: 800, at: 0.5)
        for time in stride(from: 0.6, to: 60, by: 0.2) {
            recording.pass(from: time, until: time)
            if recording.isAskedFor.contains(2) { recording.fail(2, at: time) }
        }
        #expect(recording.retries.count == 2 && recording.published == [0, 1, 2, 3])
        #expect(recording.segments.count == 4)
    }

    @Test("is published as it is after a target duration, and what comes later is a repair")
    func later() throws {
        var recording = try Recording.withPart()
        for time in stride(from: 0.6, to: 12, by: 0.2) {
            recording.pass(from: time, until: time)
            if time > 6.8 { #expect(recording.published == [0, 1, 2, 3]) }
            if recording.isAskedFor.contains(2) { recording.fail(2, at: time) }
        }
        #expect(recording.retries.count >= 5)
        recording.pass(from: 12, until: 26)
        recording.store(2, measured: 6, bytes: 1000, revision: 1, at: 26)
        recording.pass(from: 26, until: 27)
        #expect(recording.published == [0, 1, 2, 3])
        let repair = try #require(recording.segments.last)
        #expect(recording.segments.count == 5 && repair.number == nil)
        #expect(repair.fact.replaces == 0 && repair.fact.revision == 1 && repair.fact.flags == [])
        #expect(recording.segments[2].fact.flags.contains(.short))
    }

    @Test("is asked for until the source need not hold it any longer, and then stays")
    func ends() throws {
        var recording = try Recording.withPart()
        for time in stride(from: 0.6, to: 300, by: 0.2) {
            recording.pass(from: time, until: time)
            if recording.isAskedFor.contains(2) { recording.fail(2, at: time) }
        }
        #expect(recording.segments.count == 4)
        let last = try #require(recording.retries.last)
        #expect((20..<90).contains(last))
        #expect(zip(recording.retries, recording.retries.dropFirst()).allSatisfy { $1 - $0 < 31 })
        #expect(recording.retries.count < 15)
    }

    @Test("takes the place of its first bytes when both are read back from the journal")
    func resumed() throws {
        let base = PublisherStage.fact(video(0), 0)
        var better = base
        (better.revision, better.replaces, better.digest) = (1, 0, [1])
        let lines = [JournalEntry.segment(base), .segment(better)].enumerated().map {
            JournalLineRead(position: JournalPosition(file: 1, line: $0), entry: $1)
        }
        var driver = try StateDriver([SourceSettings(url: "http://one.test/live.m3u8")])
        var first = driver.send(.journalRead(.success(lines)), at: 0)
        var batches: [Batch] = []
        var trimmed: [JournalPosition] = []
        for time in stride(from: 0.2, to: 3, by: 0.2) {
            var actions = first + driver.send(.clockAdvanced, at: time)
            first = []
            while !actions.isEmpty {
                var next: [RecordingAction] = []
                for action in actions {
                    switch action {
                    case .readJournal: next += driver.send(.journalRead(.success(lines)), at: time)
                    case .commit(let batch):
                        batches.append(batch)
                        next += driver.send(.catalogueAnswered(.success(true)), at: time)
                    case .trimJournal(let positions): trimmed += positions
                    default: break
                    }
                }
                actions = next
            }
        }
        let facts = batches.flatMap(\.segments).map(\.fact)
        #expect(facts.map(\.revision) == [1] && facts.map(\.replaces) == [nil])
        #expect(Set(trimmed) == Set(lines.map(\.position)))
    }
}
