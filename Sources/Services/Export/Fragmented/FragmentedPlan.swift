import Digest
import Encoding
import MediaFormat
package import Timeline

/// A window of fMP4 segments as one MP4 file: the initialization section, then the segments with their times
/// moved.
package struct FragmentedPlan: Sendable {
    let channel: ChannelID
    let rendition: RenditionID
    let runs: [SegmentRun]
    let formats: [Int32: SegmentFormat]
    let initName: String
    let continuous: ContinuousRuns
    /// Equal for equal files, on every replica: the opaque part of an entity tag.
    package let tag: String

    /// Part of the tag: it changes whenever the program makes other bytes of the same segments.
    private static let formatVersion = 3

    /// Plans the file of one rendition, whose segments have one initialization section.
    package init(
        channel: ChannelID, rendition: RenditionID, runs: [SegmentRun], formats: [Int32: SegmentFormat],
    ) throws(ExportError) {
        let names = Set(runs.flatMap(\.formatIDs).map { formats[$0]?.initName })
        let isFragmented = runs.allSatisfy { run in
            run.formatIDs.allSatisfy { formats[$0]?.container == .fragmentedMP4 }
        }
        guard isFragmented, names.count == 1, let name = names.first ?? nil else {
            throw .otherContainer(rendition)
        }
        try SegmentOpener.check(runs, formats, rendition)
        (self.channel, self.rendition, self.runs, self.formats) = (channel, rendition, runs, formats)
        initName = name
        continuous = ContinuousRuns(runs)
        do {
            let identity =
                Array("\(Self.formatVersion) \(channel)/\(rendition)/\(name) ".utf8) + runs.flatMap(\.digest)
            tag = Hexadecimal.encode(try SHA256.digest(of: identity).prefix(16))
        } catch {
            throw .digest(error)
        }
    }
}

/// The initialization section with which a file begins.
struct FileInitSection: Sendable {
    /// As it was recorded.
    let bytes: [UInt8]
    /// The same section without the delay that all tracks have; it has the same length.
    let bytesWithoutDelay: [UInt8]
    /// That delay, ticks of 90 kHz: the times of the segments count from it.
    let delay: Int64
    let section: InitSection

    init(bytes: [UInt8], section: InitSection) {
        (self.bytes, self.section) = (bytes, section)
        let (moved, delay) = InitSection.withoutDelay(bytes)
        bytesWithoutDelay = moved
        self.delay =
            delay.flatMap { MediaTimestamp(track: $0.duration, timescale: $0.timescale)?.mpegTicks } ?? 0
    }
}

/// A plan with what is only known from the archive.
package struct FragmentedFile: Sendable {
    let plan: FragmentedPlan
    let initSection: FileInitSection
    /// The longest media that the width of the times allows, microseconds; nil if all of them fit.
    package let longest: Int64?

    package var tag: String { plan.tag }
    package var byteCount: UInt64 { plan.runs.reduce(UInt64(initSection.bytes.count)) { $0 + $1.plainBytes } }

    /// `firsts` are the first times of each continuous run.
    init(_ plan: FragmentedPlan, _ initSection: FileInitSection, firsts: [[FragmentRewriter.TrackTimes]]) {
        (self.plan, self.initSection) = (plan, initSection)
        var longest: Int64?
        for (run, tracks) in zip(plan.continuous.all, firsts) {
            for track in tracks where track.isNarrow {
                // The catalogue's durations are good to much less than a hundredth.
                let range = Int64(UInt32.max) * 990_000 / Int64(track.timescale)
                if run.end > range { longest = min(longest ?? .max, max(run.begin, range)) }
            }
        }
        self.longest = longest
    }
}
