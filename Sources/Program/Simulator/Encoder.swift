import HLS
import Recorder
import Timeline

/// A packager: cuts one programme into segments, and lists them.
///
/// It knows the truth: when the media of each segment was live. It is asked for much, and its lists are long:
/// so it is an object, which nothing copies.
final class Encoder {
    enum Dates: String, CaseIterable, Sendable {
        case none, right, wholeSeconds, wrongZone
    }

    enum StatedDurations: String, CaseIterable, Sendable {
        case exact, rounded
        /// Always the target duration.
        case target
        case zero
        case half, double
    }

    struct Settings: Sendable {
        var renditions: [RenditionID]
        /// Microseconds of a segment, as far as it is regular.
        var duration: Int64
        /// How much segments differ, as a share of the duration.
        var jitter: Double
        /// Segments in the playlist.
        var listed: Int
        /// From the end of a segment to its listing.
        var latency: Int64
        var dates: Dates
        /// What is wrong with the dates, microseconds.
        var dateError: Int64
        var statedDurations: StatedDurations
        /// Names follow the numbers, so a restart uses them again.
        var namesFollowNumbers: Bool
        var firstNumber: Int64
        /// It packages the same media as the first source, timestamps included.
        var sharesFirstMedia = false
        /// Nil where segments are clear.
        var keys: Keys?
        /// EXT-X-DATERANGE, where there are dates.
        var hasMarkers = false
        /// Microseconds after which timestamps restart with EXT-X-DISCONTINUITY, again and again; nil where
        /// they never do.
        var discontinuityDistance: Int64?
        /// Renditions that do not count or cut as the source does.
        var steps: [RenditionID: Step] = [:]

        init(_ chance: inout SeededRandomNumberGenerator) {
            let video = RenditionID(kind: .video, index: 0)
            renditions = [video]
            if chance.happens(in: 3) {
                renditions += [RenditionID(kind: .video, index: 1), RenditionID(kind: .audio, index: 0)]
            }
            duration = ([2, 4, 6, 10].randomElement(using: &chance) ?? 6) * 1_000_000
            jitter = [0, 0.02, 0.2].randomElement(using: &chance) ?? 0
            listed = [3, 5, 6, 10, 60].randomElement(using: &chance) ?? 5
            latency = Int64.random(in: 0...1_500_000, using: &chance)
            dates = Dates.allCases.randomElement(using: &chance) ?? .right
            dateError = dates == .wrongZone ? 3_600_000_000 * Int64.random(in: -8...8, using: &chance) : 0
            statedDurations = StatedDurations.allCases.randomElement(using: &chance) ?? .exact
            namesFollowNumbers = chance.happens(in: 3)
            firstNumber = chance.happens(in: 2) ? 0 : Int64.random(in: 1...2_000_000, using: &chance)
        }

        /// What playlists say of the longest segment.
        var targetSeconds: Int { Int((Double(duration) * (1 + jitter) / 1_000_000).rounded(.up)) }
        /// The same in microseconds.
        var target: Int64 { Int64(targetSeconds) * 1_000_000 }

        /// Another encoder of the same programme.
        func backup(_ chance: inout SeededRandomNumberGenerator) -> Settings {
            var other = Settings(&chance)
            other.renditions = renditions
            return other
        }

        /// Another packager of another's media, which lists them later.
        mutating func shareMedia(_ other: Settings, _ chance: inout SeededRandomNumberGenerator) {
            (duration, jitter) = (other.duration, other.jitter)
            sharesFirstMedia = true
            latency = Int64.random(in: 0...30_000_000, using: &chance)
        }

        var description: String {
            """
            \(renditions.map(\.description).joined(separator: ",")) \(duration / 1000) ms ±\(jitter) × \(listed), \
            \(latency / 1000) ms late, dates \(dates.rawValue) \(dateError / 1_000_000) s, \
            EXTINF \(statedDurations.rawValue)\(namesFollowNumbers ? ", names follow numbers" : "")\
            \(keys.map { ", \($0.description)" } ?? "")\(hasMarkers ? ", markers" : "")\
            \(discontinuityDistance.map { ", a discontinuity each \($0 / 1_000_000) s" } ?? "")\
            \(steps.sorted { $0.key < $1.key }.map { ", \($0) \($1.description)" }.joined())
            """
        }
    }

    struct Segment {
        var number: Int64
        /// When its media was live, true time.
        var begin: Instant
        var duration: Int64
        var listedAt: Instant
        /// Rises with each restart.
        var sourceRun: Int

        var end: Instant { begin + duration }
    }

    let settings: Settings
    let index: Int
    private let faults: [Fault]
    let gaps: [Fault]
    let dateJumps: [Fault]
    private var chance: SeededRandomNumberGenerator
    private(set) var segments: [Segment] = []
    /// What playlists list of each segment, by rendition as in the settings.
    private var entries: [[MediaSegment]]
    /// Where the playlists of the renditions are, and the folders of their segments.
    let paths: [String]
    private let folders: [String]
    /// The index of the first segment of each source run.
    private var sourceRuns = [0]
    private var nextStart: Instant
    private var nextNumber: Int64
    private var passed: Set<Int> = []

    init(_ settings: Settings, index: Int, scenario: Scenario) {
        self.settings = settings
        self.index = index
        faults = scenario.faults.filter {
            $0.place == index && [.restart, .ended, .jump].contains($0.kind)
        }
        gaps = scenario.faults.filter { $0.place == index && $0.kind == .gap }
        dateJumps = scenario.faults.filter { $0.place == index && $0.kind == .dateJump }
        chance = SeededRandomNumberGenerator(
            seed: scenario.seed &* 31 &+ (settings.sharesFirstMedia ? 0 : UInt64(index)))
        entries = settings.renditions.map { _ in [] }
        paths = settings.renditions.map { "/\($0).m3u8" }
        folders = settings.renditions.map { "\($0)/" }
        nextStart = Scenario.begin - 60_000_000
        nextNumber = settings.firstNumber
    }

    /// Makes the segments that are listed by an instant.
    func advance(to now: Instant) {
        while nextStart <= now { makeNext() }
    }

    private func makeNext() {
        for (index, fault) in faults.enumerated()
        where fault.span.begin <= nextStart && !passed.contains(index) {
            passed.insert(index)
            if fault.kind == .jump {
                nextNumber += fault.amount
            } else {
                nextStart = max(nextStart, fault.span.end)
                nextNumber = 0
            }
            sourceRuns.append(segments.count)
        }
        let part = 1 + settings.jitter * Double.random(in: -1...1, using: &chance)
        let duration = Int64(Double(settings.duration) * part)
        segments.append(
            Segment(
                number: nextNumber, begin: nextStart, duration: duration,
                listedAt: nextStart + duration + settings.latency, sourceRun: sourceRuns.count - 1))
        for place in entries.indices { entries[place].append(entry(segments.count - 1, place)) }
        nextStart = nextStart + duration
        nextNumber += 1
    }

    /// The timestamp of a segment, in units of 90 kHz; each encoder has begun to count at another time.
    func timestamp(_ index: Int, _ rendition: RenditionID) -> Int64 {
        let base = settings.sharesFirstMedia ? 0 : Int64(self.index) &* 3_000_000_000
        let time = (begin(of: index, rendition) - Scenario.begin) * 9 / 100 + 900_000_000
        return (time + base + (domain(of: index) ?? 0) &* 1_234_567_890) % (1 << 33)
    }

    /// The entries that are listed at an instant, by their indices.
    func listed(at now: Instant) -> Range<Int> {
        let end = segments.partitioningIndex { $0.listedAt > now }
        guard end > 0 else { return 0..<0 }
        let sourceRun = segments[end - 1].sourceRun
        return max(sourceRuns[sourceRun], end - settings.listed)..<end
    }

    /// The index of the first segment of a source run.
    func begin(ofSourceRun sourceRun: Int) -> Int { sourceRuns[sourceRun] }

    /// When a segment leaves the playlist.
    func unlistedAt(_ index: Int) -> Instant {
        let segment = segments[index]
        let nextSourceRun =
            segment.sourceRun + 1 < sourceRuns.count ? sourceRuns[segment.sourceRun + 1] : Int.max
        let next = min(index + settings.listed, nextSourceRun)
        return next < segments.count ? segments[next].listedAt : Instant(microseconds: .max)
    }

    /// EXT-X-ENDLIST stays until the packager, which has begun again, lists something (RFC 8216bis §6.2.1).
    private func hasEnded(at now: Instant) -> Bool {
        faults.contains { fault in
            guard fault.kind == .ended, fault.span.begin <= now else { return false }
            let next = segments.partitioningIndex { $0.begin >= fault.span.end }
            return next == segments.count || segments[next].listedAt > now
        }
    }

    private func repeats(_ scenario: Scenario, at now: Instant) -> Bool {
        scenario.faults(.repeated, of: index, at: now)
    }

    /// A digest of a rendition's playlist at an instant; equal for equal playlists.
    func digest(of rendition: RenditionID, at now: Instant, _ scenario: Scenario) -> [UInt8] {
        let now = now - step(of: rendition).later
        let range = listed(at: now)
        let gapCount = gaps.isEmpty ? 0 : UInt8(clamping: range.count { isGap($0, at: now) })
        var digest = Media.digest(index, rendition, range.lowerBound)
        Media.append(range.upperBound, to: &digest)
        digest.append(hasEnded(at: now) ? 1 : 0)
        digest.append(repeats(scenario, at: now) ? 1 : 0)
        digest.append(gapCount)
        return digest
    }

    /// The playlist of a rendition.
    func playlist(_ rendition: RenditionID, at now: Instant, _ scenario: Scenario) -> MediaPlaylist {
        var playlist = MediaPlaylist()
        playlist.targetDurationSeconds = settings.targetSeconds
        let step = step(of: rendition)
        let now = now - step.later
        let range = listed(at: now)
        playlist.mediaSequence = UInt64(range.first.map { segments[$0].number + step.numbers } ?? 0)
        playlist.discontinuitySequence = range.first.flatMap { discontinuitySequence(before: $0) }
        playlist.segments =
            settings.renditions.firstIndex(of: rendition).map { Array(entries[$0][range]) } ?? []
        for place in playlist.segments.indices where !gaps.isEmpty && isGap(range.lowerBound + place, at: now)
        {
            playlist.segments[place].isGap = true
        }
        playlist.dateRanges = dateRanges(in: range)
        if repeats(scenario, at: now), var last = playlist.segments.last {
            // Without dates it would be the same media played once more.
            if settings.dates == .none { last.discontinuityCount = 0 }
            playlist.segments.append(last)
        }
        playlist.isEnded = hasEnded(at: now)
        return playlist
    }

    private func entry(_ index: Int, _ place: Int) -> MediaSegment {
        let (segment, rendition) = (segments[index], settings.renditions[place])
        let step = step(of: rendition)
        let label = settings.namesFollowNumbers ? segment.number + step.numbers : Int64(index)
        var stated = segment.duration
        switch settings.statedDurations {
        case .exact: break
        case .rounded: stated = max(1, (stated + 500_000) / 1_000_000) * 1_000_000
        case .target: stated = settings.target
        case .zero: stated = 0
        case .half: stated /= 2
        case .double: stated *= 2
        }
        return MediaSegment(
            uri: folders[place] + String(label) + ".ts", durationMicroseconds: stated,
            discontinuityCount: isDiscontinuity(index) ? 1 : 0,
            keys: key(of: index, rendition).map { [$0] } ?? [],
            programDateTimeMicroseconds: date(of: segment.begin + step.later)?.microseconds)
    }

    private func date(of begin: Instant) -> Instant? {
        let begin = begin + dateOffset(at: begin)
        return switch settings.dates {
        case .none: nil
        case .right, .wrongZone: begin + settings.dateError
        case .wholeSeconds: Instant(seconds: begin.microseconds / 1_000_000)
        }
    }

    /// The multivariant playlist of a source with several renditions.
    var multivariantPlaylist: Playlist {
        var text = "#EXTM3U\n"
        let audio = settings.renditions.filter { $0.kind == .audio }
        for id in audio {
            text += "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"\(id)\",URI=\"\(id).m3u8\"\n"
        }
        let group = audio.isEmpty ? "" : ",AUDIO=\"audio\""
        for id in settings.renditions where id.kind == .video {
            text += "#EXT-X-STREAM-INF:BANDWIDTH=\(1_000_000 * (id.index + 1))\(group)\n\(id).m3u8\n"
        }
        let read = try? Playlist.reading(Array(text.utf8))
        return read?.playlist ?? .media(MediaPlaylist())
    }

    /// The segment that a URL names at an instant; nil when it is not there any more.
    func resolve(_ uri: String, of rendition: RenditionID, at now: Instant) -> Int? {
        guard let label = Self.label(in: uri) else { return nil }
        let step = step(of: rendition)
        let listed = listed(at: now - step.later)
        // Segments stay for as long again as they were listed (RFC 8216bis §6.2.2).
        let kept = max(0, listed.lowerBound - settings.listed)..<listed.upperBound
        guard settings.namesFollowNumbers else {
            return kept.contains(Int(label)) ? Int(label) : nil
        }
        return kept.last { segments[$0].number + step.numbers == label }
    }

    /// The number in a URI such as `v0/17.ts`.
    private static func label(in uri: String) -> Int64? {
        var label: Int64?
        for byte in uri.utf8 {
            switch byte {
            case UInt8(ascii: "/"): label = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                label = label.map { $0 * 10 + Int64(byte - UInt8(ascii: "0")) }
            default: break
            }
        }
        return label
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element fits; elements that fit lie behind those that do not.
    func partitioningIndex(where fits: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if fits(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
