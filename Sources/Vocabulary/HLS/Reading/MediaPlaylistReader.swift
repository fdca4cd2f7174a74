/// Collects a media playlist.
///
/// Tags that stay in force are stored with each segment.
struct MediaPlaylistReader {
    private var playlist = MediaPlaylist()
    /// The tags before the next URI.
    var pending = PendingSegment()
    var inForce = TagsInForce()
    /// What the next segments share; nil until one needs it.
    private var shared: SharedTags?
    /// The values of the KEY tags in force, by KEYFORMAT, and of the latest MAP: repeated before each
    /// segment, they are read only once.
    var keyValues: [String: ArraySlice<UInt8>] = [:]
    var latestMap: ArraySlice<UInt8>?
    /// Whether the first segment, or a tag of one, has been read.
    ///
    /// From then on unknown lines belong to segments.
    private(set) var isInSegments = false
    private var dateRanges = DateRangeCollector()
    private var hasOnlyNegativeDurations = true
    /// Whether there are URIs that no EXTINF precedes.
    private(set) var hasURIsWithoutDuration = false
    /// Segments whose duration a target duration may prove absurd, with the lines of EXTINF.
    private var longSegments: [(index: Int, line: Int)] = []
    /// The last segment has no usable range, so that none can continue it.
    private var lastLacksRange = false

    var hasSegments: Bool { !playlist.segments.isEmpty }

    /// Reads a tag of the whole playlist and returns whether it was understood.
    mutating func readForPlaylist(
        _ tag: PlaylistTag, _ value: ArraySlice<UInt8>, _ context: inout ReadingContext
    ) throws(PlaylistError) -> Bool {
        switch tag {
        case .targetDuration: readTargetDuration(value, &context)
        case .mediaSequence:
            guard let number = ByteCursor.unsigned(value) else { throw context.error(.unreadable) }
            if hasSegments { context.note(.lateHeader) }
            playlist.mediaSequence = number
        case .discontinuitySequence:
            guard let number = ByteCursor.unsigned(value) else { return false }
            playlist.discontinuitySequence = number
        case .endList: playlist.isEnded = true
        case .playlistType:
            guard let type = MediaPlaylist.PlaylistType(rawValue: context.text(value)) else { return false }
            playlist.type = type
        case .iFramesOnly: playlist.isIFramesOnly = true
        case .skip:
            guard let skip = MediaPlaylist.Skip(try context.attributes(value)) else {
                throw context.error(.missingAttribute("SKIPPED-SEGMENTS"))
            }
            playlist.skip = skip
        case .dateRange: return try dateRanges.add(try context.attributes(value), &context)
        default: try readLowLatency(tag, try context.attributes(value))
        }
        return true
    }

    private mutating func readLowLatency(_ tag: PlaylistTag, _ attributes: AttributeList)
        throws(PlaylistError)
    {
        switch tag {
        case .serverControl: playlist.serverControl = attributes
        case .partInformation: playlist.partInformation = attributes
        case .preloadHint: playlist.preloadHints.append(attributes)
        case .renditionReport: playlist.renditionReports.append(attributes)
        default: break
        }
    }

    /// Reads whole seconds.
    ///
    /// Decimals are rounded up; without a usable value the segments' durations decide.
    private mutating func readTargetDuration(_ value: ArraySlice<UInt8>, _ context: inout ReadingContext) {
        let longest = context.limits.segmentSeconds * 1_000_000
        guard let microseconds = ByteCursor.microseconds(value), (1...longest).contains(microseconds) else {
            return
        }
        if microseconds % 1_000_000 != 0 { context.note(.decimalTargetDuration) }
        playlist.targetDurationSeconds = Int((microseconds + 999_999) / 1_000_000)
    }

    /// Ends a segment: it gets everything that precedes the URI or is in force.
    ///
    /// EXTINF is required for each segment (§4.4.4.1): a URI without it is none and takes no number.
    mutating func readURI(_ line: ArraySlice<UInt8>, _ context: inout ReadingContext) throws(PlaylistError) {
        guard pending.hasDuration else {
            context.note(.missingDuration)
            hasURIsWithoutDuration = true
            pending.dropURI()
            return
        }
        isInSegments = true
        try context.check(playlist.segments.count + 1, .segments, context.limits.segmentCount)
        hasOnlyNegativeDurations = hasOnlyNegativeDurations && pending.isNegative
        let uri = try context.uri(line)
        let isLong = pending.durationMicroseconds > context.limits.implausibleTargetDurations * 1_000_000
        if isLong { longSegments.append((playlist.segments.count, pending.durationLine)) }
        let byteRange = try resolvedRange(of: uri, &context)
        context.keep(byteCount: MemoryLayout<MediaSegment>.stride)
        playlist.segments.append(
            MediaSegment(
                uri: uri, durationMicroseconds: pending.durationMicroseconds, title: pending.title,
                byteRange: byteRange,
                discontinuityCount: pending.discontinuityCount,
                shared: sharedTags(&context),
                programDateTimeMicroseconds: pending.programDateTimeMicroseconds,
                isGap: pending.isGap || pending.lacksRange,
                partLines: pending.partLines, unknownLines: pending.unknownLines))
        lastLacksRange = pending.lacksRange
        pending = PendingSegment()
    }

    /// The tags in force, as one value for all segments until they change.
    private mutating func sharedTags(_ context: inout ReadingContext) -> SharedTags? {
        if let shared, shared.tags == inForce { return shared }
        shared = SharedTags(inForce)
        if let shared { context.keep(byteCount: shared.byteCount) }
        return shared
    }

    /// A range without offset continues the preceding range of the same resource; otherwise it is an error
    /// (§4.4.4.2).
    ///
    /// Where its end would be too large, or the preceding range is unusable, the segment lacks its range.
    private mutating func resolvedRange(
        of uri: String, _ context: inout ReadingContext
    ) throws(PlaylistError) -> ByteRange? {
        guard let listed = pending.byteRange else { return nil }
        var end: UInt64? = 0
        if listed.offset == nil {
            guard let last = playlist.segments.last, last.uri == uri, last.byteRange != nil || lastLacksRange
            else {
                throw context.error(.unanchoredByteRange)
            }
            end = last.byteRange?.end
        }
        if let end, let range = listed.resolved(after: end) { return range }
        pending.lacksRange = true
        context.note(.unusableRange)
        return nil
    }

    mutating func addUnknown(_ line: String) {
        pending.unknownLines.append(line)
    }

    mutating func beginSegments() {
        isInSegments = true
    }
}

extension MediaPlaylistReader {
    /// The whole playlist, at the end of the text.
    mutating func finished(
        _ common: CommonTagsReader, _ context: inout ReadingContext
    ) throws(PlaylistError) -> MediaPlaylist {
        try refuseChannels(context)
        try refuseOverflow(context)
        if pending.hasDuration {
            context.tag = .duration
            context.note(.missingURI)
        }
        playlist.adopt(common)
        playlist.dateRanges = dateRanges.finish(years: context.limits.years)
        playlist.trailingLines = pending.partLines + pending.unknownLines
        if !hasSegments {
            playlist.unknownLines += playlist.trailingLines
            playlist.trailingLines = []
        }
        ignoreImplausibleDurations(&context)
        deriveTargetDuration(&context)
        return playlist
    }

    /// Channel lists without telltale attributes still give every entry the length −1.
    private func refuseChannels(_ context: ReadingContext) throws(PlaylistError) {
        guard hasSegments, hasOnlyNegativeDurations, playlist.targetDurationSeconds == nil else { return }
        throw PlaylistError(line: 0, tag: .duration, reason: .channelList)
    }

    private func refuseOverflow(_ context: ReadingContext) throws(PlaylistError) {
        let (base, overflowed) = playlist.mediaSequence.addingReportingOverflow(
            playlist.skip?.segmentCount ?? 0)
        let end = base.addingReportingOverflow(UInt64(playlist.segments.count))
        if overflowed || end.overflow {
            throw PlaylistError(line: 0, tag: .mediaSequence, reason: .unreadable)
        }
    }

    /// A duration of many target durations is an error of the playlist; the media is measured instead
    /// (§4.4.3.1).
    ///
    /// Judged at the end, because the target duration may follow the segments.
    private mutating func ignoreImplausibleDurations(_ context: inout ReadingContext) {
        guard let target = playlist.targetDurationSeconds else { return }
        let longest = Int64(target) * 1_000_000 * context.limits.implausibleTargetDurations
        context.tag = .duration
        for (index, line) in longSegments where playlist.segments[index].durationMicroseconds > longest {
            context.line = line
            context.note(.implausibleDuration)
            playlist.segments[index].durationMicroseconds = 0
        }
    }

    private mutating func deriveTargetDuration(_ context: inout ReadingContext) {
        guard playlist.targetDurationSeconds == nil else { return }
        context.tag = .targetDuration
        context.note(.missingTargetDuration)
        guard let longest = playlist.segments.map(\.durationMicroseconds).max() else { return }
        playlist.targetDurationSeconds = max(1, Int((longest + 500_000) / 1_000_000))
        playlist.isTargetDurationDerived = true
    }
}
