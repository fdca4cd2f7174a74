extension MediaPlaylist {
    /// The bytes of the playlist; reading them gives an equal value.
    package func writtenBytes(_ options: WritingOptions = WritingOptions()) -> [UInt8] {
        var writer = PlaylistWriter(reservingCapacity: 512 + segments.count * 128)
        writeHead(&writer)
        var segmentWriter = SegmentWriter(options: options)
        for segment in segments { segmentWriter.write(segment, &writer) }
        writeTail(&writer)
        return writer.bytes
    }

    /// The text of the playlist.
    package func written(_ options: WritingOptions = WritingOptions()) -> String {
        String(decoding: writtenBytes(options), as: UTF8.self)
    }

    /// Writes everything before the first segment.
    package func writeHead(_ writer: inout PlaylistWriter) {
        writeCommonTags(&writer)
        if let targetDurationSeconds { writer.line(.targetDuration, UInt64(max(0, targetDurationSeconds))) }
        writer.line(.mediaSequence, mediaSequence)
        if let discontinuitySequence { writer.line(.discontinuitySequence, discontinuitySequence) }
        if let type { writer.line(.playlistType, type.rawValue) }
        if isIFramesOnly { writer.line(.iFramesOnly) }
        if let serverControl { writer.line(.serverControl, serverControl) }
        if let partInformation { writer.line(.partInformation, partInformation) }
        if let skip { writer.line(.skip, skip.attributes) }
        for line in unknownLines { writer.line(line) }
        for dateRange in dateRanges { writer.dateRange(dateRange) }
    }

    /// Writes everything after the last segment.
    func writeTail(_ writer: inout PlaylistWriter) {
        for line in trailingLines { writer.line(line) }
        for hint in preloadHints { writer.line(.preloadHint, hint) }
        for report in renditionReports { writer.line(.renditionReport, report) }
        if isEnded { writer.line(.endList) }
    }
}
