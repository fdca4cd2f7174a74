@testable import MediaFormat
import Timeline

/// Inspects a body in one piece and in pieces, whose lengths the first byte of the input chooses.
///
/// Both give the same result, and no more than the input has.
func inspect(_ body: [UInt8], pieces: UInt8, with inspector: some ContainerInspector) {
    var whole = inspector
    whole.append(body.span)
    let expected = whole.finish()
    require(expected.byteCount == body.count, "all bytes are counted")
    require((expected.durationMicroseconds ?? 0) >= 0, "the duration is not negative")
    if let found = expected.keyFrames { check(found, in: body.count) }
    var parts = inspector
    append(body, pieces) { parts.append($0) }
    require(parts.finish() == expected, "pieces do not matter")
}

/// Key frames lie one behind the other within the body, and are packed and read back.
private func check(_ found: KeyFrames, in byteCount: Int) {
    var (end, time) = (0, -1)
    for frame in found.frames {
        require(frame.offset >= end && frame.byteCount > 0, "key frames do not overlap")
        require(frame.milliseconds > time, "key frames are in the order of time")
        (end, time) = (frame.end, frame.milliseconds)
    }
    require(end <= byteCount && found.tableByteCount <= byteCount, "key frames are within the segment")
    require(KeyFrames(packed: found.packed[...]) == found, "packed key frames read back")
}

/// The same with the container that the body's first bytes say.
func inspectAny(_ body: [UInt8], pieces: UInt8, initSection: InitSection?) {
    let expected = Result { () throws(MediaFormatError) in
        var whole = StreamingInspector(initSection: initSection)
        whole.append(body.span)
        return try whole.finish()
    }
    let found = Result { () throws(MediaFormatError) in
        var parts = StreamingInspector(initSection: initSection)
        append(body, pieces) { parts.append($0) }
        return try parts.finish()
    }
    require(found == expected, "pieces do not matter")
}

private func append(_ body: [UInt8], _ pieces: UInt8, _ receive: (Span<UInt8>) -> Void) {
    let length = Int(pieces) + 1
    for start in stride(from: 0, to: body.count, by: length) {
        receive(body.span.extracting(start..<min(start + length, body.count)))
    }
}
