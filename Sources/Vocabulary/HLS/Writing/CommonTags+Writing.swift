extension CommonTags {
    /// Writes `#EXTM3U` and what both kinds of playlist can say; variables come before their use.
    func writeCommonTags(_ writer: inout PlaylistWriter) {
        writer.line(.header)
        if let version { writer.line(.version, String(version)) }
        for definition in definitions { writer.line(.define, definition.attributes) }
        if isIndependentSegments { writer.line(.independentSegments) }
        if let start { writer.line(.start, start.attributes) }
        if let allowsCache { writer.line(.allowCache, allowsCache ? "YES" : "NO") }
    }
}
