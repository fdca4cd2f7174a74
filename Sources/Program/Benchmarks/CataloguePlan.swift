import Timeline

/// Which channels a catalogue has, and from when to when they were recorded without a hole.
struct CataloguePlan: Sendable {
    /// A quarter of an hour in the clock.
    let begin: Instant
    let end: Instant
    let channels: [PlannedChannel]

    /// Recorded up to the last quarter before `end`.
    init(end: Instant, days: Int, channels: Int, variants: Int, hasShortSegments: Bool) {
        let quarter: Int64 = 900 * Microseconds.perSecond
        self.end = Instant(microseconds: end.microseconds / quarter * quarter)
        begin = self.end - Int64(days) * 86_400 * Microseconds.perSecond
        var planned = (0..<channels).map { index in
            PlannedChannel(name: "c\(index)", byteCounts: [index == 0 ? .medium : .usual])
        }
        if variants > 0 {
            planned.append(
                PlannedChannel(name: "variants", byteCounts: (1...variants).map { Int64($0) * .small * 4 }))
        }
        if hasShortSegments {
            planned.append(PlannedChannel(name: "short", byteCounts: [.small], seconds: 2))
        }
        self.channels = planned
    }
}

/// A channel whose segments all have the same length.
struct PlannedChannel: Sendable {
    var name: String
    /// The size of a segment of each rendition.
    var byteCounts: [Int64]
    /// Length of a segment.
    var seconds: Int64 = 4

    var duration: Int64 { seconds * Microseconds.perSecond }

    /// The renditions with the size of their segments.
    var renditions: [(id: RenditionID, byteCount: Int64)] {
        byteCounts.enumerated().map { (RenditionID(kind: .video, index: $0), $1) }
    }
}

extension Int64 {
    /// About 75 kB, 1 MB and 2.5 MB: whole packets of a transport stream.
    fileprivate static let small = packets(399)
    fileprivate static let medium = packets(5320)
    fileprivate static let usual = packets(13_300)

    private static func packets(_ count: Int64) -> Int64 { 188 * count }
}

/// What the measurements have to know of a catalogue.
struct PlanReport: Encodable {
    var begin: Double
    var end: Double
    var channels: [String: Channel]

    struct Channel: Encodable {
        var seconds: Int64
        var renditions: [String: Int64]
    }

    init(_ plan: CataloguePlan) {
        begin = Microseconds.seconds(plan.begin.microseconds)
        end = Microseconds.seconds(plan.end.microseconds)
        channels = Dictionary(
            uniqueKeysWithValues: plan.channels.map { channel in
                let renditions = channel.renditions.map { ($0.id.description, $0.byteCount) }
                return (
                    channel.name,
                    Channel(
                        seconds: channel.seconds, renditions: Dictionary(uniqueKeysWithValues: renditions))
                )
            })
    }
}
