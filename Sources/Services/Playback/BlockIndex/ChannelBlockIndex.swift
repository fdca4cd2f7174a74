import Catalogue
import HLS
import Timeline

/// What memory holds of a channel at one revision, arranged so that a window of the past is found by
/// arithmetic.
///
/// It is made from the blocks in memory and never changes: after a commit, or when more blocks have been
/// read, another one replaces it, with what has not changed.
final class ChannelBlockIndex: Sendable {
    let revision: Int64
    /// Ordered by id.
    fileprivate let renditions: [RenditionBlockIndex]
    /// Their positions, in the order in which they lead a playlist.
    fileprivate let leading: [Int]
    fileprivate let templates: TemplateCache

    /// `previous` is an index of the same channel that this one replaces.
    init(
        _ head: ChannelHead, replacing previous: ChannelBlockIndex? = nil,
        _ blocks: (KnownRendition) -> [Int64: Block],
    ) {
        revision = head.revision
        let known = previous?.renditions ?? []
        let renditions = head.renditions.map { rendition in
            let own = known.first { $0.description.id == rendition.description.id }
            return RenditionBlockIndex(rendition, replacing: own?.spans ?? [], blocks(rendition))
        }
        self.renditions = renditions
        let isAlike = known.map(\.description) == renditions.map(\.description)
        templates = (isAlike ? previous?.templates : nil) ?? TemplateCache()
        let videos = renditions.indices.filter { renditions[$0].description.id.kind == .video }
        let best = videos.sorted { one, other in
            let (a, b) = (renditions[one].description, renditions[other].description)
            return (b.bandwidth ?? 0, a.id) < (a.bandwidth ?? 0, b.id)
        }
        leading = best + renditions.indices.filter { !videos.contains($0) }
    }

    /// What the index says about a window.
    enum Found {
        /// A block is not in memory.
        case absent
        /// The window has to be composed.
        case irregular
        case slices(ChannelSlice)
    }

    /// Whether a rendition is known to have a segment at an instant.
    func holds(_ instant: Instant) -> Bool {
        renditions.contains { rendition in
            if case .segments = rendition.find(TimeWindow(begin: instant, end: instant + 1)) { return true }
            return false
        }
    }

    /// The segments of a window in all renditions.
    func find(_ window: TimeWindow) -> Found {
        var slices: [WindowSlice?] = []
        slices.reserveCapacity(renditions.count)
        for rendition in renditions {
            switch rendition.find(window) {
            case .absent: return .absent
            case .irregular: return .irregular
            case .nothing: slices.append(nil)
            case .segments(let cut): slices.append(cut)
            }
        }
        return .slices(ChannelSlice(blockIndex: self, window: window, slices: slices))
    }
}

/// The segments of a window in all renditions of a channel; one that has none is nil.
struct ChannelSlice {
    let blockIndex: ChannelBlockIndex
    let window: TimeWindow
    fileprivate let slices: [WindowSlice?]
    /// The target duration of all playlists of the answer.
    let targetSeconds: Int

    init(blockIndex: ChannelBlockIndex, window: TimeWindow, slices: [WindowSlice?]) {
        (self.blockIndex, self.window, self.slices) = (blockIndex, window, slices)
        targetSeconds = .target(ofLongest: slices.reduce(0) { $1?.longest(above: $0) ?? $0 })
    }

    /// The media playlist of one rendition, or with nil of the leading one; nil if the window has no such
    /// segments, or its playlist needs more than one date.
    func mediaPlaylist(of id: RenditionID?) -> WindowRenderer? {
        let position =
            id == nil
            ? leadingPosition
            : blockIndex.renditions.firstIndex { $0.description.id == id }
        guard let position, let cut = slices[position], cut.keepsDate else { return nil }
        return WindowRenderer(
            rendition: blockIndex.renditions[position].description.id, cut: cut, window: window,
            targetSeconds: targetSeconds)
    }

    /// The segments of the rendition that leads a multivariant playlist.
    var leading: WindowSlice? { leadingPosition.flatMap { slices[$0] } }
    var leadingID: RenditionID? { leadingPosition.map { blockIndex.renditions[$0].description.id } }
    private var leadingPosition: Int? { blockIndex.leading.first { slices[$0] != nil } }

    /// The segments of the other renditions, in the order of their ids.
    var others: [WindowSlice] { slices.indices.filter { $0 != leadingPosition }.compactMap { slices[$0] } }

    /// The segments of a rendition; nil if there are none in the window.
    subscript(id: RenditionID) -> WindowSlice? {
        blockIndex.renditions.firstIndex { $0.description.id == id }.flatMap { slices[$0] }
    }

    var hasSeparateAudio: Bool {
        slices.indices.contains {
            slices[$0] != nil && blockIndex.renditions[$0].description.id.kind == .audio
        }
    }

    /// The multivariant playlist; nil if there is too much to measure, or to read.
    ///
    /// Notes the use of all blocks, at a second.
    func multivariantPlaylist(
        query: String?, at second: Int64, _ known: KeyFrameRates,
    ) -> [UInt8]? {
        var (rates, keyFrameRates): ([BitRate], [Int64?]) = ([], [])
        let partial = partialRenditions
        var forms = Array(repeating: TemplateCache.Form(), count: slices.count)
        for (index, rendition) in blockIndex.renditions.enumerated() {
            guard let cut = slices[index] else { continue }
            guard let rate = cut.bitRate(targetSeconds: targetSeconds) else { return nil }
            cut.noteUse(at: second)
            let isVideo = rendition.description.id.kind == .video
            let keyFrames: (highest: Int64?, isKnown: Bool) =
                isVideo ? cut.blockSpan.rates.keyFrameRate(cut.slotsWithKeyFrames, known) : (nil, true)
            guard keyFrames.isKnown else { return nil }
            rates.append(rate)
            keyFrameRates.append(keyFrames.highest)
            forms[index] = .init(
                format: cut.formatID, hasKeyFrames: keyFrames.highest != nil,
                isPartial: partial.contains(rendition.description.id))
        }
        let template = blockIndex.templates.template(forms) {
            MultivariantTemplate(measured(rates, keyFrameRates, partial))
        }
        if let bytes = template?.written(rates, keyFrameRates: keyFrameRates, query: query) { return bytes }
        let text = MultivariantRenderer(
            renditions: measured(rates, keyFrameRates, partial), isClosed: true, query: query)
        return text.playlist().writtenBytes()
    }

    /// The renditions that lack much of the window that another one has.
    private var partialRenditions: Set<RenditionID> {
        let missing = zip(blockIndex.renditions, slices).compactMap { rendition, cut in
            cut.map { (rendition.description.id, $0.missing(in: window)) }
        }
        return MultivariantRenderer.partial(missing, of: window)
    }

    /// The renditions of the window with what their segments tell.
    private func measured(
        _ rates: [BitRate], _ keyFrameRates: [Int64?], _ partial: Set<RenditionID>,
    ) -> [MeasuredRendition] {
        let listed = zip(blockIndex.renditions, slices).compactMap { rendition, cut in
            cut.map { (rendition.description, $0.format.map { [$0] } ?? []) }
        }
        return listed.indices.map { index in
            MeasuredRendition(
                description: listed[index].0, rate: rates[index], formats: listed[index].1,
                keyFrameRate: keyFrameRates[index], isPartial: partial.contains(listed[index].0.id))
        }
    }
}

extension Int {
    /// The target duration: the longest EXTINF rounded to the nearest second, at least 1 (RFC 8216
    /// §4.3.3.1).
    static func target(ofLongest microseconds: Int64) -> Int {
        Swift.max(1, Int((microseconds + Microseconds.perSecond / 2) / Microseconds.perSecond))
    }
}
