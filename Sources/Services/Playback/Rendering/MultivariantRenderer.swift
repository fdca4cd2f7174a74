import Catalogue
import HLS
import Timeline

/// A rendition of a window, with the properties of its media in the window.
struct MeasuredRendition {
    var description: RenditionDescription
    var rate: BitRate
    /// In the order of their first segments.
    var formats: [SegmentFormat]
    /// The highest bit rate of its key frames; nil if none are known.
    var keyFrameRate: Int64?
    /// Whether it lacks much of the window that another rendition of its kind has.
    var isPartial = false

    var id: RenditionID { description.id }
}

/// The renditions of a variant, as positions in `renditions`; one of each kind plays at a time.
struct Combination {
    var own: [Int]
    var audio: [Int]
    var subtitles: [Int]

    /// The largest sum of any that can play at a time (RFC 8216bis §4.4.6.2).
    func bitRate(_ rate: (Int) -> BitRate) -> BitRate {
        .largest(of: own.map(rate)) + .largest(of: audio.map(rate)) + .largest(of: subtitles.map(rate))
    }
}

/// Renders a multivariant playlist of the renditions in a window.
struct MultivariantRenderer {
    /// Ordered by id.
    let renditions: [MeasuredRendition]
    /// Whether the window is closed: a growing playlist may exceed the measured rates.
    let isClosed: Bool
    let query: String?

    init(renditions: [MeasuredRendition], isClosed: Bool, query: String?) {
        (self.renditions, self.isClosed, self.query) = (renditions, isClosed, query)
    }

    init(contents: PlaylistContents, query: String?, keyFrameRates: [RenditionID: Int64]) {
        let (renditions, isClosed) = (contents.continuing, contents.plan.kind == .closed)
        let partial =
            isClosed
            ? Self.partial(
                renditions.map { ($0.id, contents.completeness(of: $0).missing) }, of: contents.window)
            : []
        let measured = renditions.map { rendition in
            MeasuredRendition(
                description: rendition.description,
                rate: BitRate(of: rendition.segments, targetSeconds: contents.targetSeconds),
                formats: rendition.segments.formatsInOrder.compactMap { contents.formats[$0] },
                keyFrameRate: keyFrameRates[rendition.id], isPartial: partial.contains(rendition.id))
        }
        self.init(renditions: measured, isClosed: isClosed, query: query)
    }

    /// The renditions that lack much of a window that another one of their kind has.
    ///
    /// `missing` are microseconds. A single lost segment is not much.
    static func partial(
        _ renditions: [(id: RenditionID, missing: Int64)], of window: TimeWindow,
    ) -> Set<RenditionID> {
        let much = window.microseconds / Limits.partialShare
        // Most windows lack nothing.
        guard renditions.contains(where: { $0.missing > much }) else { return [] }
        let partial = renditions.filter { own in
            renditions.contains { $0.id.kind == own.id.kind && own.missing - $0.missing > much }
        }
        return Set(partial.map(\.id))
    }

    func playlist() -> MultivariantPlaylist {
        var playlist = MultivariantPlaylist()
        let variants = variants
        playlist.renditions = alternatives(besides: variants)
        playlist.variants = variants.flatMap { streams(of: $0).map(\.stream) }
        playlist.iFrameStreams = variants.compactMap(keyFrames)
        playlist.version = playlist.minimalVersion
        return playlist
    }

    /// What plays at a time in each variant, in the order of the playlist.
    var combinations: [Combination] {
        variants.flatMap { streams(of: $0).map(\.combination) }
    }

    /// The positions of the variants with an I-frame playlist, in the order of the playlist.
    var variantsWithKeyFrames: [Int] {
        positions(of: variants.filter { $0.keyFrameRate != nil })
    }

    /// The video renditions; a channel without video has its audio or subtitles as variants.
    ///
    /// Players start with the first one, so those that have only a part of the window come last.
    private var variants: [MeasuredRendition] {
        for kind in [RenditionKind.video, .audio, .subtitles] {
            let found = renditions.filter { $0.id.kind == kind }
            if !found.isEmpty { return found.filter { !$0.isPartial } + found.filter(\.isPartial) }
        }
        return []
    }

    func uri(of id: RenditionID, suffix: String = "") -> String {
        query.map { "\(id)\(suffix).m3u8?\($0)" } ?? "\(id)\(suffix).m3u8"
    }
}

/// Variants: EXT-X-STREAM-INF.
extension MultivariantRenderer {
    /// The variant with each of its combinations of groups.
    private func streams(
        of rendition: MeasuredRendition,
    ) -> [(stream: VariantStream, combination: Combination)] {
        let description = rendition.description
        var own = VariantStream(AttributeList(description.attributes ?? []))
        (own.audioGroup, own.subtitlesGroup) = (description.audioGroup, description.subtitlesGroup)
        let repeats = (description.repeats ?? []).map { VariantStream(AttributeList($0)) }
        var streams: [(stream: VariantStream, combination: Combination)] = []
        for said in [own] + repeats {
            let found = variant(rendition, said)
            let isKnown = streams.contains { known, _ in
                known.audioGroup == found.stream.audioGroup
                    && known.subtitlesGroup == found.stream.subtitlesGroup
                    && known.closedCaptions == found.stream.closedCaptions
            }
            if !isKnown { streams.append(found) }
        }
        return streams
    }

    /// The variant with the groups that the source's tag says, as far as the window has them.
    private func variant(
        _ rendition: MeasuredRendition, _ said: VariantStream,
    ) -> (stream: VariantStream, combination: Combination) {
        let audioGroup = audioGroup(said.audioGroup, of: rendition)
        let audio = members(ofGroup: audioGroup, kind: .audio, besides: rendition)
        let subtitlesGroup = subtitlesGroup(said.subtitlesGroup, of: rendition)
        let subtitles = members(ofGroup: subtitlesGroup, kind: .subtitles, besides: rendition)
        let combination = Combination(
            own: positions(of: [rendition]), audio: positions(of: audio), subtitles: positions(of: subtitles))
        let rate = combination.bitRate { bitRate(of: renditions[$0]) }
        var stream = VariantStream(uri: uri(of: rendition.id), bandwidth: Int(max(1, rate.peak)))
        stream.averageBandwidth = Int(rate.average)
        stream.codecs = codecs(of: [rendition] + audio, subtitles)
        stream.supplementalCodecs = said.supplementalCodecs
        stream.resolution = resolution(of: rendition)
        stream.frameRate = rendition.description.frameRate.flatMap(Double.init).flatMap {
            $0 > 0 && $0 < 1000 ? $0 : nil
        }
        stream.videoRange = said.videoRange
        stream.requiredVideoLayout = said.requiredVideoLayout
        stream.audioGroup = audioGroup
        if isEmbedded(.video, said.videoGroup, in: rendition) { stream.videoGroup = said.videoGroup }
        if !subtitles.isEmpty { stream.subtitlesGroup = subtitlesGroup }
        stream.closedCaptions = captions(said, of: rendition)
        return (stream, combination)
    }

    /// The group of a variant's audio that the window has; nil without one.
    ///
    /// The stated group is that of the newest source. An earlier source may have named it differently, where
    /// the newest has audio in its video, so video without audio gets the group of the window's audio.
    private func audioGroup(_ stated: String?, of rendition: MeasuredRendition) -> String? {
        if !members(ofGroup: stated, kind: .audio, besides: rendition).isEmpty
            || isEmbedded(.audio, stated, in: rendition)
        {
            return stated
        }
        let isSilent = rendition.formats.allSatisfy(\.isSilent)
        guard rendition.id.kind == .video, isSilent, !rendition.formats.isEmpty else { return nil }
        return firstGroup(of: .audio)
    }

    /// The group of a variant's subtitles; one of the window if no variant states any of the window's.
    ///
    /// An earlier source may have had subtitles that the newest one does not have, or names differently.
    private func subtitlesGroup(_ stated: String?, of rendition: MeasuredRendition) -> String? {
        let recorded = Set(renditions.filter { $0.id.kind == .subtitles }.flatMap(Self.groups))
        if rendition.id.kind == .subtitles || recorded.isEmpty || stated.map(recorded.contains) ?? false {
            return stated
        }
        let isReachable = variants.contains { variant in
            let repeats = (variant.description.repeats ?? []).map { VariantStream(AttributeList($0)) }
            let groups = [variant.description.subtitlesGroup] + repeats.map(\.subtitlesGroup)
            return groups.contains { $0.map(recorded.contains) ?? false }
        }
        return isReachable ? stated : firstGroup(of: .subtitles)
    }

    /// The group of the default rendition of a kind, else of the first one.
    private func firstGroup(of kind: RenditionKind) -> String? {
        let members = renditions.filter { $0.id.kind == kind && $0.description.groupID != nil }
        return (members.first(where: \.description.isDefault) ?? members.first)?.description.groupID
    }

    /// The I-frame playlist of a variant, which has no audio.
    private func keyFrames(_ rendition: MeasuredRendition) -> VariantStream? {
        guard let rate = rendition.keyFrameRate else { return nil }
        var stream = VariantStream(
            uri: uri(of: rendition.id, suffix: "-iframes"), bandwidth: Int(max(1, rate)))
        let codecs = codecs(of: [rendition], [])?.split(separator: ",").filter { codec in
            Self.videoCodecs.contains { codec.hasPrefix($0) }
        }
        stream.codecs = codecs.flatMap { $0.isEmpty ? nil : $0.joined(separator: ",") }
        stream.resolution = resolution(of: rendition)
        stream.videoRange = VariantStream(AttributeList(rendition.description.attributes ?? [])).videoRange
        return stream
    }

    /// How the codecs of IMSC subtitles begin (RFC 6381).
    private static let imscCodec = "stpp"
    /// How the codecs of video begin (RFC 6381).
    private static let videoCodecs = ["avc", "hvc", "hev", "dvh", "av01", "vp0", "mp4v", "vvc", "vvi"]

    /// CLOSED-CAPTIONS of a variant: a group that its media contain, or NONE; nil to leave it out.
    ///
    /// NONE is stated only if all variants state it (RFC 8216bis §4.4.6.2).
    private func captions(
        _ said: VariantStream, of rendition: MeasuredRendition,
    ) -> VariantStream.ClosedCaptions? {
        switch said.closedCaptions {
        case .group(let group)?:
            return isEmbedded(.closedCaptions, group, in: rendition) ? .group(group) : nil
        case .some(.none): return saysNoCaptions ? VariantStream.ClosedCaptions.none : nil
        case nil: return nil
        }
    }

    private var saysNoCaptions: Bool {
        variants.allSatisfy { rendition in
            ([rendition.description.attributes ?? []] + (rendition.description.repeats ?? [])).allSatisfy {
                VariantStream(AttributeList($0)).closedCaptions == VariantStream.ClosedCaptions.none
            }
        }
    }

    private func members(
        ofGroup group: String?, kind: RenditionKind, besides variant: MeasuredRendition,
    ) -> [MeasuredRendition] {
        guard let group else { return [] }
        return renditions.filter {
            $0.id.kind == kind && $0.id != variant.id && Self.groups(of: $0).contains(group)
        }
    }

    private func positions(of some: [MeasuredRendition]) -> [Int] {
        some.compactMap { one in renditions.firstIndex { $0.id == one.id } }
    }

    /// The measured rate; a growing playlist may exceed it, so the peak is at least what the source states.
    private func bitRate(of rendition: MeasuredRendition) -> BitRate {
        var rate = rendition.rate
        if !isClosed { rate.peak = max(rate.peak, rendition.description.bandwidth ?? 0) }
        return rate
    }

    /// All codecs found in the media, or those that the source states if the media does not tell.
    ///
    /// Those of IMSC subtitles belong to them (RFC 8216bis §4.4.6.2), those of WebVTT do not.
    private func codecs(of renditions: [MeasuredRendition], _ subtitles: [MeasuredRendition]) -> String? {
        let stated = renditions.flatMap { $0.description.codecs?.split(separator: ",") ?? [] }
        var all: [Substring] = []
        for rendition in renditions {
            let measured = rendition.formats.flatMap { $0.codecs.split(separator: ",") }
            let said = rendition.description.codecs?.split(separator: ",") ?? []
            if measured.isEmpty && said.isEmpty && rendition.id.kind != .subtitles { return nil }
            for codec in measured.isEmpty ? said : measured.map({ Self.exact($0, stated) })
            where !all.contains(codec) {
                all.append(codec)
            }
        }
        if !all.contains(where: { $0.hasPrefix(Self.imscCodec) }),
            subtitles.contains(where: { $0.formats.contains { $0.tracks.contains("subtitles:ttml") } })
        {
            all += stated.filter { $0.hasPrefix(Self.imscCodec) }
            if !all.contains(where: { $0.hasPrefix(Self.imscCodec) }) { all.append("stpp.ttml.im1t") }
        }
        return all.isEmpty ? nil : all.joined(separator: ",")
    }

    /// The codec that the source states where the media does not tell: ADTS shows HE-AAC as AAC-LC.
    private static func exact(_ measured: Substring, _ stated: [Substring]) -> Substring {
        guard measured == "mp4a.40.2", !stated.contains(measured) else { return measured }
        return stated.first { ["mp4a.40.5", "mp4a.40.29"].contains($0) } ?? measured
    }

    private func resolution(of rendition: MeasuredRendition) -> VariantStream.Resolution? {
        let largest = rendition.formats.max { $0.width * $0.height < $1.width * $1.height }
        if let largest, largest.width > 0, largest.height > 0 {
            return VariantStream.Resolution(width: largest.width, height: largest.height)
        }
        let said = rendition.description.resolution?.split(separator: "x").compactMap { Int($0) } ?? []
        return said.count == 2 ? VariantStream.Resolution(width: said[0], height: said[1]) : nil
    }
}
