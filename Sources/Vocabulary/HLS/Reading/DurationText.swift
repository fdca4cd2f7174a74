/// The value of EXTINF (RFC 8216bis §4.4.4.1), in the variants that origins write.
struct DurationText {
    var microseconds: Int64 = 0
    var title: ArraySlice<UInt8> = []
    var deviations: [Deviation] = []
    /// Whether the text comes from an IPTV channel list: no length, and attributes for a set-top box.
    var isChannel = false
    /// Whether the length is negative, as channel lists write it for all their entries.
    var isNegative = false

    init(_ bytes: ArraySlice<UInt8>, longestSeconds: Int64) {
        var cursor = ByteCursor(bytes)
        cursor.skipBlanks()
        readNumber(&cursor, longestSeconds: longestSeconds)
        cursor.skipBlanks()
        readTitle(&cursor)
    }

    private mutating func readNumber(_ cursor: inout ByteCursor, longestSeconds: Int64) {
        let token = cursor.readBytes { $0 == ASCII.comma || ASCII.isBlank($0) }
        let value = ByteCursor.microseconds(token)
        guard value != nil || ByteCursor.isDecimal(token) else {
            deviations.append(.unreadableDuration)
            return
        }
        isNegative = value.map { $0 < 0 } ?? (token.first == ASCII.minus)
        if isNegative {
            deviations.append(.negativeDuration)
        } else if let value, value <= longestSeconds * 1_000_000 {
            microseconds = value
        } else {
            deviations.append(.implausibleDuration)
        }
    }

    /// The title runs to the end of the line, commas included.
    private mutating func readTitle(_ cursor: inout ByteCursor) {
        guard !cursor.isAtEnd else {
            deviations.append(.missingComma)
            return
        }
        if cursor.current != ASCII.comma {
            deviations.append(.textAfterDuration)
            isChannel = microseconds == 0 && Self.hasChannelAttributes(cursor.rest)
            Self.skipAttributes(&cursor)
        }
        cursor.advance()
        cursor.skipBlanks()
        title = cursor.rest
    }

    private static func skipAttributes(_ cursor: inout ByteCursor) {
        var isInside = false
        _ = cursor.readBytes { byte in
            if byte == ASCII.quote { isInside.toggle() }
            return byte == ASCII.comma && !isInside
        }
    }

    private static func hasChannelAttributes(_ bytes: ArraySlice<UInt8>) -> Bool {
        ["tvg-", "group-title=", "catchup"].contains { mark in
            bytes.indices.contains { bytes[$0...].starts(with: mark.utf8) }
        }
    }
}
