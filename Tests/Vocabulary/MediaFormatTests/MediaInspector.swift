import MediaFormat

/// Inspects a whole segment at once, through the streaming inspector.
enum MediaInspector {
    static func inspect(
        _ bytes: [UInt8], initSection: InitSection? = nil,
    ) throws(MediaFormatError) -> MediaInspection {
        var inspector = StreamingInspector(initSection: initSection)
        inspector.append(bytes.span)
        return try inspector.finish()
    }
}
