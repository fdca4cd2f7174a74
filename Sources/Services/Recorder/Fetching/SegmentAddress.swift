import HLS
import HTTP

/// The URL of a segment without the parts that may change between playlists: the server, and tokens.
struct SegmentAddress: Hashable, Sendable {
    private var path: String
    private var query: String?

    /// Nil where a URI cannot be read.
    init?(_ entry: MediaSegment, base: HTTPURL, isByPath: Bool = true) {
        guard let url = try? base.resolving(entry.uri) else { return nil }
        (path, query) = (url.path, isByPath ? nil : url.query)
    }

    init?(_ request: SegmentRequest, isByPath: Bool = true) {
        self.init(request.segment.entry, base: request.base, isByPath: isByPath)
    }

    /// Whether the source will reach the address of a pending segment at most `count` segments after
    /// `newest`, if the numbers in its names count up with the media sequence.
    static func leads(
        from newest: ListedSegment, _ base: HTTPURL, to request: SegmentRequest, within count: Int,
    ) -> Bool {
        let distance = Int64(truncatingIfNeeded: request.segment.listedNumber &- newest.listedNumber)
        guard distance > 0, distance <= count, let address = SegmentAddress(request, isByPath: false),
            let own = SegmentAddress(newest.entry, base: base, isByPath: false)
        else { return false }
        // If the paths differ, the queries may only differ by tokens.
        let texts =
            address.path == own.path ? (address.query ?? "", own.query ?? "") : (address.path, own.path)
        return texts.0.difference(from: texts.1) == distance
    }

    /// Whether each URI of a playlist has a different path; otherwise the queries identify the segments.
    ///
    /// False for a playlist with one URI.
    static func differByPath(_ playlist: MediaPlaylist) -> Bool {
        let uris = Set(playlist.segments.lazy.map(\.uri))
        let paths = Set(uris.lazy.map { $0.prefix { $0 != "?" && $0 != "#" } })
        return paths.count == uris.count && uris.count > 1
    }
}

extension String {
    /// The difference of the one number in which two texts differ; nil if they differ in anything else.
    fileprivate func difference(from other: String) -> Int64? {
        let (own, others) = (Array(utf8), Array(other.utf8))
        let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        var begin = zip(own, others).prefix { $0 == $1 }.count
        while begin > 0, isDigit(own[begin - 1]) { begin -= 1 }
        let digits = own[begin...].prefix(while: isDigit)
        let otherDigits = others[begin...].prefix(while: isDigit)
        guard own[digits.endIndex...] == others[otherDigits.endIndex...],
            let number = Int64(String(decoding: digits, as: UTF8.self)),
            let otherNumber = Int64(String(decoding: otherDigits, as: UTF8.self))
        else { return nil }
        return number - otherNumber
    }
}
