import Catalogue
import HLS
import Journal
import SegmentStore
import Testing
import Timeline

@testable import Recorder

private let urls = ["http://one.test/live.m3u8", "http://two.test/live.m3u8"]

@Suite("A segment that one source has in part, and another one whole")
struct PartFromElsewhereTests {
    /// What is wrong with the segment that is whole nowhere but in the second source.
    enum Part: CaseIterable {
        /// The container shows that bytes are missing.
        case damaged
        /// It plays for two seconds of six.
        case short
        /// It plays for almost five seconds of six.
        case cut

        var measured: Int64? {
            switch self {
            case .damaged: nil
            case .short: 2_000_000
            case .cut: 4_800_000
            }
        }
    }

    /// What the second source has for it.
    enum Other: CaseIterable {
        case whole
        case damaged
        /// Of the same time, in another format.
        case ofOtherFormat
        /// Of an encoder that knows nothing of the first source's.
        case ofOtherMedia
        /// It begins there, and reaches into the next one.
        case ofOtherCut
    }

    /// A channel of two sources of the same media without dates, which count otherwise.
    private struct Recording {
        static let number: Int64 = 12

        private var driver: StateDriver
        private let part: Part
        private let other: Other
        private let repeats: Bool
        private var answered: Set<Int64> = []
        private(set) var segments: [DecidedSegment] = []
        private(set) var fetchesOfOther: [Int64] = []
        private(set) var lastTry = 0.0
        private(set) var playlistsOfOther = 0
        /// The journal does not take what comes of the other source; its own has the whole segment then.
        var refusesOther = false
        private var hasRefused = false

        init(_ part: Part, _ other: Other, repeats: Bool = false, sources: Int = 2) throws {
            (self.part, self.other, self.repeats) = (part, other, repeats)
            driver = try StateDriver(
                urls.prefix(sources).enumerated().map { SourceSettings(url: $1, priority: $0) })
        }

        mutating func run(until end: Double) throws {
            var actions = driver.begin(at: 0)
            for time in stride(from: 0.2, to: end, by: 0.2) {
                while !actions.isEmpty { actions += try answer(actions.removeFirst(), at: time) }
                actions = driver.send(.clockAdvanced, at: time)
            }
        }

        private mutating func answer(_ action: RecordingAction, at time: Double) throws -> [RecordingAction] {
            switch action {
            case .fetchPlaylist(let request):
                let isOther = request.use.source.url == urls[1]
                if isOther { playlistsOfOther += 1 }
                return try driver.answer(request, Self.playlist(isOther ? 100 : 0, at: time), at: time)
            case .probeSegment(let request):
                let media = Self.media(of: request.segment)
                let isOther = request.use.source.url == urls[1]
                let probed = ProbedSegment(
                    digest: [9, UInt8(media)], firstTimestamp: timestamp(media, isOther: isOther),
                    measuredDuration: 6_000_000)
                return driver.send(.segmentProbed(probed, request), at: time)
            case .fetchSegment(let request): return answer(request, at: time)
            case .commit(let batch):
                segments += batch.segments
                return driver.send(.catalogueAnswered(.success(true)), at: time)
            case .readJournal: return driver.send(.journalRead(.success([])), at: time)
            default: return []
            }
        }

        private mutating func answer(_ request: SegmentRequest, at time: Double) -> [RecordingAction] {
            let media = Self.media(of: request.segment)
            let isOther = request.use.source.url == urls[1]
            let isPart = media == Self.number || repeats && media > Self.number
            if isOther {
                fetchesOfOther.append(media)
            } else if request.held != nil {
                lastTry = time
            }
            if !isOther, request.held != nil, !hasRefused {
                return driver.send(
                    .segmentFailed(FetchFailure(.segmentMissing, "no better bytes"), request), at: time)
            }
            var stored = PartialSegmentTests.stored(
                request.segment, measured: 6_000_000, timestamp: nil, revision: request.held == nil ? 0 : 1,
                bytes: isOther ? 1200 : 1000)
            stored.firstTimestamp = timestamp(media, isOther: isOther)
            stored.format.tracks = "video:h264"
            if isOther {
                if other == .damaged { (stored.flags, stored.measuredDuration) = (.damaged, nil) }
                if other == .ofOtherCut { stored.measuredDuration = 6_400_000 }
                if other == .ofOtherFormat { stored.format.tracks = "video:h265" }
            } else if isPart, !hasRefused {
                stored.measuredDuration = part.measured
                stored.plainBytes = 400
                if part == .damaged { stored.flags = .damaged }
            }
            let digest: [UInt8] = [isOther ? 1 : 0, UInt8(media)]
            stored.object = CommittedObject(
                key: stored.object.key, byteCount: stored.plainBytes, digest: digest, wasThere: false)
            guard isOther, refusesOther else { return driver.send(.segmentStored(stored, request), at: time) }
            hasRefused = true
            driver.holdJournal()
            let actions = driver.send(.segmentStored(stored, request), at: time)
            return actions + driver.refuseJournal(.entryTooLarge(byteCount: 1), at: time)
        }

        private func timestamp(_ media: Int64, isOther: Bool) -> Int64 {
            (media * 6 + (isOther && other == .ofOtherMedia ? 40_000 : 0)) * 90_000
        }

        private static func media(of segment: ListedSegment) -> Int64 {
            (Int64(segment.entry.uri.prefix { $0 != "." }) ?? 0) % 100
        }

        private static func playlist(_ offset: Int, at time: Double) -> String {
            let newest = Int(time / 6) + 10
            let head = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:\(newest - 5 + offset)\n"
            return head + (newest - 5...newest).map { "#EXTINF:6,\n\($0 + offset).ts\n" }.joined()
        }

        var facts: [SegmentFact] {
            segments.map(\.fact).filter { $0.identity.number == Self.number }
        }
    }

    @Test("is replaced by that one's bytes, once", arguments: Part.allCases)
    func mended(part: Part) throws {
        var recording = try Recording(part, .whole)
        try recording.run(until: 100)
        let first = try #require(recording.facts.first)
        let last = try #require(recording.facts.last)
        #expect(last.digest == [1, 12] && last.flags.isDisjoint(with: .parts))
        #expect(last.start == first.start && last.identity == first.identity)
        #expect(recording.facts.count == 1 || last.replaces == 0 && last.revision == 1)
        #expect(recording.fetchesOfOther == [12])
        // Its own source is not asked for it any more.
        #expect(recording.lastTry < 30)
        let numbers = recording.segments.compactMap(\.number)
        #expect(numbers == Array(0..<Int64(numbers.count)))
        #expect(recording.segments.allSatisfy { !$0.fact.flags.contains(.late) })
    }

    @Test("is replaced by its own source's bytes if those of the other one cannot be written down")
    func notWritten() throws {
        var recording = try Recording(.damaged, .whole)
        recording.refusesOther = true
        try recording.run(until: 100)
        let last = try #require(recording.facts.last)
        #expect(recording.fetchesOfOther == [12])
        #expect(last.digest == [0, 12] && last.flags.isDisjoint(with: .parts) && last.plainBytes == 1000)
    }

    @Test(
        "stays as it is where the other source's is not whole, or not the same",
        arguments: Other.allCases.filter { $0 != .whole })
    func repairNotStored(other: Other) throws {
        var recording = try Recording(.damaged, other)
        try recording.run(until: 400)
        #expect(recording.facts.map(\.digest) == [[0, 12]] && recording.facts[0].flags.contains(.damaged))
        #expect(recording.fetchesOfOther.count <= Limits.repairTries)
        #expect(recording.playlistsOfOther < 20)
    }

    @Test("is not looked for where there is no other source")
    func alone() throws {
        var recording = try Recording(.damaged, .whole, sources: 1)
        try recording.run(until: 100)
        #expect(recording.facts.map(\.digest) == [[0, 12]])
    }

    @Test("is looked for a few times only, if the other source never has what is missing")
    func always() throws {
        var recording = try Recording(.damaged, .damaged, repeats: true)
        try recording.run(until: 500)
        #expect(recording.fetchesOfOther.count <= 2 * Limits.incompleteInARow * Limits.repairTries)
        #expect(recording.playlistsOfOther < 40)
    }
}
