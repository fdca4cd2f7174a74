import HLS

/// A variant with the others that carry the same media: backup streams, and those of other pathways (content
/// steering, RFC 8216bis §7).
struct RedundantStreams: Sendable {
    /// The first of them.
    var variant: VariantStream
    var backups: [VariantStream] = []

    /// The variants that have media of their own, in the order of the playlist.
    static func of(_ variants: [VariantStream]) -> [RedundantStreams] {
        let pathway = variants.first?.pathwayID
        var uris: Set<String> = []
        let distinct = variants.filter { uris.insert($0.uri).inserted }
        var streams: [RedundantStreams] = []
        for variant in distinct where variant.pathwayID == pathway {
            if let place = streams.firstIndex(where: { repeats($0.variant, variant) }) {
                streams[place].backups.append(variant)
            } else {
                streams.append(RedundantStreams(variant: variant))
            }
        }
        for variant in distinct where variant.pathwayID != pathway {
            guard let place = counterpart(of: variant, in: streams.map(\.variant)) else { continue }
            streams[place].backups.append(variant)
        }
        return streams
    }

    /// Whether two variants of a pathway are the same but for where they are.
    ///
    /// Their bandwidths may be measured apart: they differ by less than the steps of a ladder.
    private static func repeats(_ one: VariantStream, _ other: VariantStream) -> Bool {
        one.audioGroup == other.audioGroup && one.subtitlesGroup == other.subtitlesGroup
            && one.stableVariantID == other.stableVariantID && isAlike(one, other)
            && difference(one, other) <= one.bandwidth / Limits.redundantBandwidthShare
    }

    /// The place of the variant that another pathway's stands for; its groups have other names.
    private static func counterpart(of variant: VariantStream, in variants: [VariantStream]) -> Int? {
        if let stable = variant.stableVariantID,
            let place = variants.firstIndex(where: { $0.stableVariantID == stable })
        {
            return place
        }
        return variants.indices.filter { isAlike(variants[$0], variant) }
            .min { difference(variants[$0], variant) < difference(variants[$1], variant) }
    }

    private static func isAlike(_ one: VariantStream, _ other: VariantStream) -> Bool {
        one.resolution == other.resolution && one.codecs == other.codecs && one.frameRate == other.frameRate
            && one.videoRange == other.videoRange
    }

    private static func difference(_ one: VariantStream, _ other: VariantStream) -> Int {
        abs(one.bandwidth - other.bandwidth)
    }
}
