import Digest
import Encoding
import HLS
import HTTP
import Timeline

@testable import Recorder

/// A segment under METHOD=AES-128, and the keys that a server may give for it.
enum Ciphered {
    static let key = [UInt8](1...16)
    static let otherKey = [UInt8](repeating: 9, count: 16)
    /// The number of the segment, which is its initialization vector as none is given (RFC 8216bis §5.2).
    static let number: Int64 = 7
    static let iv = [UInt8](repeating: 0, count: 15) + [7]

    /// Subtitles with as many comments, of 16 bytes each.
    static func subtitles(comments: Int) -> [UInt8] {
        Array(("WEBVTT\n\n" + String(repeating: "NOTE no words.\n\n", count: comments)).utf8)
    }

    static func encrypted(_ bytes: [UInt8]) throws -> [UInt8] {
        var cipher = try AES128CBC(.encrypt, key: key, iv: iv)
        let head = try cipher.update(bytes)
        return head + (try cipher.finish())
    }

    /// What the archive calls a key.
    static func name(of key: [UInt8]) throws -> String {
        Hexadecimal.encode(try SHA256.digest(of: key).prefix(16))
    }

    /// A segment of a list that does not show it any more.
    static func listed(_ uri: String, keys: [Key] = []) -> ListedSegment {
        ListedSegment(
            placed: PlacedSegment(
                identity: SegmentIdentity(rendition: video(0), run: 1, number: number), start: at(0),
                duration: 6 * seconds),
            entry: MediaSegment(uri: uri, durationMicroseconds: 6 * seconds, keys: keys), arrival: at(6),
            flags: [], listedNumber: UInt64(number), discontinuityCount: 0, availableUntil: moment(0))
    }

    /// The last try for a segment.
    static func lastTry(_ uri: String, keys: [Key] = [], at base: HTTPURL) -> SegmentRequest {
        var request = SegmentRequest(
            segment: listed(uri, keys: keys), base: base,
            use: SourceUse(number: 1, source: SourceSettings(url: base.absoluteString)))
        (request.attempt, request.isLast) = (3, true)
        return request
    }
}
