/// The EXT-X-MAP and EXT-X-KEY that are in force for a reader of the text so far.
struct MapAndKeyTags {
    private var map: [UInt8]?
    private var key: [UInt8]?
    private var foreignKeys: [UInt8] = []
    private var iv: [UInt8]?

    private var isClear: Bool { key == nil && foreignKeys.isEmpty }

    /// Writes the tags that change before a segment.
    ///
    /// All of them are written if the segment is fresh, which means the first or after a discontinuity.
    @inline(__always)
    mutating func write(_ format: FormatText, iv wanted: [UInt8]?, isFresh: Bool, to buffer: inout TextBuffer)
    {
        if !isFresh && key == nil && format.key == nil && foreignKeys.isEmpty && map == nil
            && format.map == nil
            && format.foreignKeys.isEmpty
        {
            return
        }
        writeChanges(format, wanted, isFresh, &buffer)
    }

    /// Updates the state after shared lines whose last segment has this format.
    mutating func passed(_ format: FormatText, iv wanted: [UInt8]?) {
        if let wanted = format.map { map = wanted }
        (key, foreignKeys, iv) = (format.key, format.foreignKeys, wanted)
    }

    private mutating func writeChanges(
        _ format: FormatText, _ wanted: [UInt8]?, _ isFresh: Bool, _ buffer: inout TextBuffer,
    ) {
        if let wantedMap = format.map, isFresh || wantedMap != map {
            if key != nil { writeNone(&buffer) }
            buffer.append(wantedMap)
            map = wantedMap
        }
        let isSame = format.key == key && format.foreignKeys == foreignKeys && (key == nil || wanted == iv)
        if isSame && !(isFresh && !format.isClear) { return }
        // A tag only replaces the one with the same KEYFORMAT. Anything else has to be ended first.
        let isReplaced =
            (key == nil || format.key != nil) && (foreignKeys.isEmpty || foreignKeys == format.foreignKeys)
        if !isReplaced { writeNone(&buffer) }
        if let wantedKey = format.key { writeKey(wantedKey, wanted, &buffer) }
        if !format.foreignKeys.isEmpty { buffer.append(format.foreignKeys) }
        (key, foreignKeys, iv) = (format.key, format.foreignKeys, wanted)
    }

    private mutating func writeNone(_ buffer: inout TextBuffer) {
        if isClear { return }
        buffer.append("#EXT-X-KEY:METHOD=NONE\n")
        (key, foreignKeys, iv) = (nil, [], nil)
    }

    private func writeKey(_ key: [UInt8], _ iv: [UInt8]?, _ buffer: inout TextBuffer) {
        buffer.append(key)
        unsafe buffer.write(atMost: 2 * (iv?.count ?? 0) + 8) { cursor in
            if let iv {
                unsafe cursor.append(",IV=0x")
                unsafe cursor.append(hexadecimal: iv)
            }
            unsafe cursor.append(UInt8(ascii: "\n"))
        }
    }
}
