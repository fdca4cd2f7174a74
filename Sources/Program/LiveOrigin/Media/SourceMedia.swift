import HTTP

/// An encoded segment, and how far a repetition has moved it.
struct SourceMedia: Sendable {
    enum Form: Sendable {
        case transportStream
        case movieFragments(timescales: [UInt32: UInt32])
        case webVTT
    }

    /// The distance between an encoded segment and its repetition.
    struct Shift: Sendable {
        /// 90 kHz.
        var ticks: UInt64 = 0
        /// Steps of the continuity counter per PID.
        var counters: [UInt16: UInt8] = [:]
        var fragments: UInt32 = 0
    }

    var form: Form
    var encoded: SharedBytes
    /// Nil keeps every timestamp as it was encoded.
    var shift: Shift?

    /// The segment with moved timestamps and the stamp.
    func bytes(with stamp: Stamp) -> [UInt8] {
        var bytes = encoded.bytes
        switch form {
        case .transportStream:
            if let shift { TransportStream.shift(&bytes, ticks: shift.ticks, counters: shift.counters) }
            return bytes + TransportStream.nullPacket(stamp.text)
        case .movieFragments(let timescales):
            if let shift {
                MovieFragments.shift(
                    &bytes, ticks: shift.ticks, timescales: timescales, fragments: shift.fragments)
            }
            return bytes + MovieBox.free(stamp.text)
        case .webVTT:
            return bytes + Array("\nNOTE \(stamp.text)\n".utf8)
        }
    }

    /// The time of the first sample in 90 kHz, as published.
    var firstTimestamp: UInt64? {
        let first: UInt64? =
            switch form {
            case .transportStream: TransportStream.firstTimestamp(of: encoded.bytes)
            case .movieFragments(let scales):
                MovieFragments.firstTimestamp(of: encoded.bytes, timescales: scales)
            case .webVTT: nil
            }
        return first.map { ($0 &+ (shift?.ticks ?? 0)) & TransportStream.timestampMask }
    }
}
