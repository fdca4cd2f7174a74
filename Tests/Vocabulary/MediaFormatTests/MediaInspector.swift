/// Inspects a segment that is in memory.
package enum MediaInspector {
    package static func inspect(
        _ bytes: Span<UInt8>, initSection: InitSection? = nil,
    ) throws(MediaFormatError) -> MediaInspection {
        var inspector = StreamingInspector(initSection: initSection)
        inspector.append(bytes)
        return try inspector.finish()
    }

    package static func inspect(
        _ bytes: [UInt8], initSection: InitSection? = nil,
    ) throws(MediaFormatError) -> MediaInspection {
        try inspect(bytes.span, initSection: initSection)
    }
}
