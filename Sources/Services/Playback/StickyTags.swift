/// EXT-X-MAP and EXT-X-KEY as a reader of the lines so far holds them to be in force.
struct StickyTags {
    private var map: [UInt8]?
    private var key: [UInt8]?
    private var foreignKeys: [UInt8] = []
    private var iv: [UInt8]?

    private var isClear: Bool { key == nil && foreignKeys.isEmpty }

    /// Writes what changes before a segment, and everything when the segment is fresh: the first, or behind a
    /// discontinuity.
    @inline(__always)
    mutating func write(_ state: StateText, iv wanted: [UInt8]?, isFresh: Bool, to buffer: inout TextBuffer) {
        if !isFresh && key == nil && state.key == nil && foreignKeys.isEmpty && map == nil && state.map == nil
            && state.foreignKeys.isEmpty
        {
            return
        }
        writeChanges(state, wanted, isFresh, &buffer)
    }

    /// Takes note of lines that were taken over: they end with a segment of this state.
    mutating func passed(_ state: StateText, iv wanted: [UInt8]?) {
        if let wanted = state.map { map = wanted }
        (key, foreignKeys, iv) = (state.key, state.foreignKeys, wanted)
    }

    private mutating func writeChanges(
        _ state: StateText, _ wanted: [UInt8]?, _ isFresh: Bool, _ buffer: inout TextBuffer,
    ) {
        if let wantedMap = state.map, isFresh || wantedMap != map {
            if key != nil { writeNone(&buffer) }
            buffer.append(wantedMap)
            map = wantedMap
        }
        let isSame = state.key == key && state.foreignKeys == foreignKeys && (key == nil || wanted == iv)
        if isSame && !(isFresh && !state.isClear) { return }
        // A tag replaces the one of its KEYFORMAT only: what nothing replaces has to be ended first.
        let isReplaced =
            (key == nil || state.key != nil) && (foreignKeys.isEmpty || foreignKeys == state.foreignKeys)
        if !isReplaced { writeNone(&buffer) }
        if let wantedKey = state.key { writeKey(wantedKey, wanted, &buffer) }
        if !state.foreignKeys.isEmpty { buffer.append(state.foreignKeys) }
        (key, foreignKeys, iv) = (state.key, state.foreignKeys, wanted)
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
