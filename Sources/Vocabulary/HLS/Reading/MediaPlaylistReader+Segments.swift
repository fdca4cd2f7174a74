/// The tags of segments (RFC 8216bis §4.4.4).
extension MediaPlaylistReader {
    /// Reads a tag of the next segment, or of all that follow, and returns whether it was understood.
    mutating func readForSegment(
        _ tag: PlaylistTag, _ value: ArraySlice<UInt8>, line: ArraySlice<UInt8>,
        _ context: inout ReadingContext
    ) throws(PlaylistError) -> Bool {
        beginSegments()
        switch tag {
        case .duration: try readDuration(value, &context)
        case .programDateTime: readDate(value, &context)
        case .discontinuity:
            pending.discontinuityCount += 1
            try context.check(pending.discontinuityCount, .discontinuities, context.limits.discontinuityCount)
        case .byteRange: readByteRange(value, &context)
        case .key: try readKey(value, &context)
        case .map: try readMap(value, &context)
        case .gap: pending.isGap = true
        case .bitrate: return readBitrate(value)
        case .part: if let line = context.keptLine(line) { pending.partLines.append(line) }
        default: if let line = context.keptLine(line) { pending.unknownLines.append(line) }
        }
        return true
    }

    private mutating func readDuration(
        _ value: ArraySlice<UInt8>, _ context: inout ReadingContext
    ) throws(PlaylistError) {
        let text = DurationText(value, longestSeconds: context.limits.segmentSeconds)
        if text.isChannel { throw context.error(.channelList) }
        if pending.hasDuration { context.note(.missingURI) }
        for deviation in text.deviations { context.note(deviation) }
        pending.hasDuration = true
        pending.isNegative = text.isNegative
        pending.durationLine = context.line
        pending.durationMicroseconds = text.microseconds
        pending.title = text.title.isEmpty ? nil : context.text(text.title)
    }

    /// Without a usable range only its own segment cannot be fetched.
    private mutating func readByteRange(_ value: ArraySlice<UInt8>, _ context: inout ReadingContext) {
        pending.byteRange = ListedByteRange(value)
        pending.lacksRange = pending.byteRange == nil
        if pending.lacksRange { context.note(.unusableRange) }
    }

    private mutating func readDate(_ value: ArraySlice<UInt8>, _ context: inout ReadingContext) {
        guard let instant = InstantText.reading(value, years: context.limits.years) else {
            context.note(.implausibleDate)
            return
        }
        for deviation in instant.deviations { context.note(deviation) }
        pending.programDateTimeMicroseconds = instant.microseconds
    }

    /// METHOD=NONE ends all keys; another key replaces the one of its KEYFORMAT (§4.4.4.4).
    private mutating func readKey(
        _ value: ArraySlice<UInt8>, _ context: inout ReadingContext
    ) throws(PlaylistError) {
        guard !keyValues.values.contains(value) else { return }
        guard let key = Key(try context.attributes(value)) else {
            throw context.error(.missingAttribute("METHOD"))
        }
        // A map that follows takes the keys as they are now.
        latestMap = nil
        guard key.method != .none else {
            keyValues = [key.keyFormat: value]
            inForce.keys = []
            return
        }
        let hasFault = key.uri == nil || key.otherAttributes["IV"] != nil
        if key.uri == nil { context.note(.missingAttribute) }
        if key.otherAttributes["IV"] != nil { context.note(.unreadableValue) }
        if inForce.keys.isEmpty { keyValues = [:] }
        keyValues[key.keyFormat] = hasFault ? nil : value
        let replaced = inForce.keys.replacing(with: key)
        try context.check(replaced.count, .keys, context.limits.keyCount)
        if replaced != inForce.keys { inForce.keys = replaced }
    }

    private mutating func readMap(
        _ value: ArraySlice<UInt8>, _ context: inout ReadingContext
    ) throws(PlaylistError) {
        guard value != latestMap else { return }
        guard let new = MediaMap(try context.attributes(value), keys: inForce.keys) else {
            throw context.error(.missingAttribute("URI"))
        }
        if new.otherAttributes["BYTERANGE"] != nil { throw context.error(.unreadable) }
        latestMap = value
        inForce.map = new
    }

    private mutating func readBitrate(_ value: ArraySlice<UInt8>) -> Bool {
        guard let rate = ByteCursor.unsigned(value) else { return false }
        inForce.kilobitsPerSecond = rate
        return true
    }
}
