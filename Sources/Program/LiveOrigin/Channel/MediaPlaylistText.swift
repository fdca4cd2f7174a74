/// A sliding media playlist (RFC 8216 §4.3, §6.2.2), independent of the writer that it helps to test.
struct MediaPlaylistText {
    var targetDuration: Int
    var discontinuitySequence: Int
    var listings: [Listing]
    var hasEnded = false
    var breaks: Breaks?

    func written() -> String {
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:\(version)", "#EXT-X-TARGETDURATION:\(targetDuration)",
            "#EXT-X-MEDIA-SEQUENCE:\(listings.first?.number ?? 0)",
        ]
        if discontinuitySequence > 0 || listings.contains(where: \.isDiscontinuity) {
            lines.append("#EXT-X-DISCONTINUITY-SEQUENCE:\(discontinuitySequence)")
        }
        lines.append("#EXT-X-INDEPENDENT-SEGMENTS")
        lines += breaks?.dateRanges(listings) ?? []
        for (index, listing) in listings.enumerated() {
            lines += entry(listing, after: index == 0 ? nil : listings[index - 1])
        }
        if hasEnded { lines.append("#EXT-X-ENDLIST") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The version that the tags in use need (§7): GAP 8, MAP 6, decimals in EXTINF 3.
    private var version: Int {
        if listings.contains(where: \.isGap) { return 8 }
        return listings.contains { $0.map != nil } ? 6 : 3
    }

    private func entry(_ listing: Listing, after previous: Listing?) -> [String] {
        var lines: [String] = []
        if listing.isDiscontinuity { lines.append("#EXT-X-DISCONTINUITY") }
        let isNewMap = listing.map != previous?.map || listing.map != nil && listing.isDiscontinuity
        if isNewMap, let map = listing.map {
            // The initialization section is not encrypted, so no key may be in force before it.
            if previous?.cipher != nil { lines.append("#EXT-X-KEY:METHOD=NONE") }
            lines.append("#EXT-X-MAP:URI=\"\(map)\"")
        }
        lines += key(listing, after: isNewMap ? nil : previous)
        if let date = listing.date {
            lines.append("#EXT-X-PROGRAM-DATE-TIME:\(DateText.rfc3339(seconds: date))")
        }
        if listing.isGap { lines.append("#EXT-X-GAP") }
        lines += breaks?.cueTags(listing.number) ?? []
        return lines + ["#EXTINF:\(Self.seconds(listing.durationSeconds)),", listing.uri]
    }

    private func key(_ listing: Listing, after previous: Listing?) -> [String] {
        guard let cipher = listing.cipher else {
            return previous?.cipher == nil ? [] : ["#EXT-X-KEY:METHOD=NONE"]
        }
        return previous?.cipher?.attributes == cipher.attributes ? [] : ["#EXT-X-KEY:\(cipher.attributes)"]
    }

    /// Six decimals.
    static func seconds(_ value: Double) -> String {
        let microseconds = Int((value * 1_000_000).rounded())
        let fraction = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction
    }
}
