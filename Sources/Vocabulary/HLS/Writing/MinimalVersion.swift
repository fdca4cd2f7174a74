/// The version that a playlist needs (RFC 8216bis §8): a higher one excludes players, a lower one fails in
/// Apple's.
extension MediaPlaylist {
    /// 3 unless a tag needs a higher one; GAP counts as 8, as on Apple's own page.
    package var minimalVersion: Int {
        var version = max(3, Version.of(definitions))
        if isIFramesOnly { version = max(version, 4) }
        if let skip { version = max(version, skip.removedDateRanges == nil ? 9 : 10) }
        var keys: [Key] = []
        var isFirst = true
        for segment in segments {
            version = max(version, Version.ofSegmentItself(segment, isIFramesOnly: isIFramesOnly))
            if isFirst || segment.keys != keys { version = max(version, Version.of(segment.keys)) }
            if let map = segment.map { version = max(version, Version.of(map.keys)) }
            keys = segment.keys
            isFirst = false
        }
        return version
    }
}

extension MultivariantPlaylist {
    /// 3 unless a tag needs a higher one.
    package var minimalVersion: Int {
        var version = max(3, Version.of(definitions), Version.of(sessionKeys))
        for rendition in renditions { version = max(version, Version.of(rendition)) }
        let demands = (variants + iFrameStreams).contains { $0.requiredVideoLayout != nil }
        if demands { version = max(version, 12) }
        return version
    }
}

/// The versions that single tags need.
private enum Version {
    static func of(_ definitions: [Definition]) -> Int {
        guard !definitions.isEmpty else { return 1 }
        return definitions.contains { $0.origin == .queryParameter } ? 11 : 8
    }

    static func of(_ keys: [Key]) -> Int {
        let needsFive = keys.contains {
            $0.keyFormat != Key.identityFormat || $0.keyFormatVersions != nil || $0.method != .aes128
        }
        return needsFive ? 5 : keys.isEmpty ? 1 : 2
    }

    static func of(_ rendition: Rendition) -> Int {
        guard let id = rendition.instreamID else { return 1 }
        if rendition.type != .closedCaptions { return 13 }
        return id.hasPrefix("SERVICE") ? 7 : 1
    }

    static func ofSegmentItself(_ segment: MediaSegment, isIFramesOnly: Bool) -> Int {
        if segment.isGap { return 8 }
        if segment.map != nil { return isIFramesOnly ? 5 : 6 }
        return segment.byteRange == nil ? 1 : 4
    }
}
