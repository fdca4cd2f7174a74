/// What a playback token permits, and until when.
package struct PlaybackGrant: Hashable, Sendable {
    package var id: TokenID
    /// The token is valid before this instant.
    package var expires: Instant
    /// The channels that it is for; empty: every channel.
    package var channels: [ChannelID]
    /// The earliest time that may be watched; nil: no limit.
    package var begin: Instant?
    /// The end of the time that may be watched; nil: no limit.
    package var end: Instant?

    package init(
        id: TokenID, expires: Instant, channels: [ChannelID] = [], begin: Instant? = nil, end: Instant? = nil,
    ) {
        (self.id, self.expires, self.channels) = (id, expires, channels)
        (self.begin, self.end) = (begin, end)
    }

    /// Whether only a part of the recording may be watched.
    package var isLimitedInTime: Bool { begin != nil || end != nil }

    package func permits(_ channel: ChannelID) -> Bool {
        channels.isEmpty || channels.contains(channel)
    }

    /// Whether an instant may be watched.
    package func permits(_ instant: Instant) -> Bool {
        (begin.map { $0 <= instant } ?? true) && (end.map { instant < $0 } ?? true)
    }

    /// Whether all of a window may be watched.
    package func permits(_ window: TimeWindow) -> Bool {
        (begin.map { $0 <= window.begin } ?? true) && (end.map { window.end <= $0 } ?? true)
    }
}

/// The id of a playback token: 16 hexadecimal digits.
///
/// The first eight are the second in which the token was made, so ids are in the order of their tokens; the
/// others are random. An id is no secret.
package struct TokenID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }

    /// The id of a token that is made now.
    package init(made: Instant, random: UInt32) {
        let second = UInt32(truncatingIfNeeded: made.milliseconds / 1000)
        self.init(number: UInt64(second) << 32 | UInt64(random))
    }

    /// Nil if the text is not exactly what `description` writes.
    package init?(_ text: some StringProtocol) {
        guard let number = UInt64(text, radix: 16) else { return nil }
        self.init(number: number)
        guard text == description else { return nil }
    }

    package var description: String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    package static func < (a: TokenID, b: TokenID) -> Bool {
        a.number < b.number
    }
}
