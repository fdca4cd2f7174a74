import Timeline

/// A grant as the bytes that a token carries.
///
/// Version (1), id (8), expiry (8), which ends the window has (1), begin (8), end (8), then each channel with
/// its length (1). Numbers are big-endian, times in microseconds; what the window does not have is left out.
struct GrantBytes {
    private static let version: UInt8 = 1
    private static let hasBegin: UInt8 = 1
    private static let hasEnd: UInt8 = 2

    static func write(_ grant: PlaybackGrant) -> [UInt8] {
        var bytes = [version]
        append(grant.id.number, to: &bytes)
        append(UInt64(bitPattern: grant.expires.microseconds), to: &bytes)
        bytes.append((grant.begin == nil ? 0 : hasBegin) | (grant.end == nil ? 0 : hasEnd))
        for instant in [grant.begin, grant.end] {
            if let instant { append(UInt64(bitPattern: instant.microseconds), to: &bytes) }
        }
        for channel in grant.channels {
            bytes.append(UInt8(channel.text.utf8.count))
            bytes += Array(channel.text.utf8)
        }
        return bytes
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }

    /// Nil if the bytes are of another version, or not whole.
    static func read(_ bytes: ArraySlice<UInt8>) -> PlaybackGrant? {
        var reader = GrantBytes(rest: bytes)
        guard reader.byte() == version, let id = reader.number(), let expires = reader.number(),
            let ends = reader.byte(), ends & ~(hasBegin | hasEnd) == 0
        else { return nil }
        var grant = PlaybackGrant(
            id: TokenID(number: id), expires: Instant(microseconds: Int64(bitPattern: expires)))
        if ends & hasBegin != 0 {
            guard let begin = reader.number() else { return nil }
            grant.begin = Instant(microseconds: Int64(bitPattern: begin))
        }
        if ends & hasEnd != 0 {
            guard let end = reader.number() else { return nil }
            grant.end = Instant(microseconds: Int64(bitPattern: end))
        }
        while let count = reader.byte() {
            guard let name = reader.take(Int(count)),
                let channel = ChannelID(String(decoding: name, as: UTF8.self))
            else { return nil }
            grant.channels.append(channel)
        }
        return grant
    }

    private var rest: ArraySlice<UInt8>

    private mutating func byte() -> UInt8? { rest.popFirst() }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func number() -> UInt64? {
        take(8).map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }
}
