/// The steps from a finished segment to a listed one.
extension ChannelState {
    /// A segment that is about to be listed, with everything that its bytes depend on.
    struct Plan: Sendable {
        var rendition: String
        var listing: Listing
        var segment: PublishedSegment
        var isServed: Bool
        /// The date of the ledger, also where the playlist has none.
        var date: Double
    }

    /// Assigns the next number of a rendition; nil for media in a hole of the playlist.
    mutating func plan(_ source: SourceSegment) -> Plan? {
        guard var rendition = renditions[source.rendition] else { return nil }
        defer { renditions[source.rendition] = rendition }
        let isMissing = rendition.hole?.form == .missing
        guard !consumeHole(&rendition) else { return nil }
        let number = rendition.nextNumber
        rendition.nextNumber += 1
        let isGap = rendition.gapCount > 0
        rendition.gapCount = max(0, rendition.gapCount - 1)
        let cipher = cipher(for: number, of: source.rendition)
        let date = source.startSeconds + dateOffset
        let listing = Listing(
            number: number, uri: uri(of: source.rendition, number: number),
            durationSeconds: source.durationSeconds,
            date: options.hasDates ? date : nil,
            isDiscontinuity: rendition.isDiscontinuityDue || source.isDiscontinuity, isGap: isGap,
            cipher: cipher,
            map: initializationURI(of: source.rendition))
        rendition.isDiscontinuityDue = false
        let stamp = Stamp(channel: name, rendition: source.rendition, sourceRun: sourceRun, number: number)
        let segment = PublishedSegment(media: source.media, stamp: stamp, cipher: cipher)
        return Plan(
            rendition: source.rendition, listing: listing, segment: segment, isServed: !isMissing && !isGap,
            date: date)
    }

    /// Lists a planned segment.
    mutating func list(_ plan: Plan, now: Double) {
        renditions[plan.rendition]?.list(
            plan.listing, plan.isServed ? plan.segment : nil, options: options, now: now)
        removeUnusedKeys()
    }

    /// Counts a hole down; true when this segment is not listed.
    private func consumeHole(_ rendition: inout RenditionState) -> Bool {
        guard var hole = rendition.hole else { return false }
        hole.count -= 1
        rendition.hole = hole.count > 0 ? hole : nil
        switch hole.form {
        case .missing: return false
        case .skip: rendition.isDiscontinuityDue = hole.hasDiscontinuity
        case .jump:
            rendition.nextNumber += 1
            rendition.renewal = rendition.renewal ?? .jump
        }
        return true
    }

    private func uri(of rendition: String, number: Int) -> String {
        let kind = options.layout.renditions.first { $0.id == rendition }
        let ending = kind.map(options.layout.fileExtension) ?? options.layout.container.fileExtension
        return "\(rendition)/" + (hasFreshNames ? "\(sourceRun)-" : "") + "\(number).\(ending)"
    }

    private func initializationURI(of rendition: String) -> String? {
        let uri = "\(rendition)/init.mp4"
        return initializations[uri] == nil ? nil : uri
    }

    /// Subtitles are not encrypted.
    private mutating func cipher(for number: Int, of rendition: String) -> SegmentCipher? {
        let isSubtitles = options.layout.renditions.first { $0.id == rendition }?.kind == .subtitles
        guard options.encryption == .aes128, !isSubtitles else { return nil }
        let span = options.rotation.map { max(1, $0) }
        // Each numbering has keys of its own: equal numbers must not mean equal keys.
        let index = sourceRun * 1_000_000 + (span.map { number / $0 } ?? 0)
        let key = keys[index] ?? SegmentCipher.freshKey()
        keys[index] = key
        return SegmentCipher(key: key, keyIndex: index, number: number, isExplicit: options.hasExplicitIV)
    }

    /// Removes keys with the last segment that needs them, unless they were unavailable for a while: a client
    /// that missed them asks later.
    private mutating func removeUnusedKeys() {
        guard faults.keysDownUntil == -.infinity else { return }
        let inUse = Set(
            renditions.values.flatMap { state in
                state.available.values.compactMap(\.cipher?.keyIndex)
                    + state.listings.compactMap(\.cipher?.keyIndex)
            })
        for index in keys.keys where !inUse.contains(index) { keys[index] = nil }
    }
}
