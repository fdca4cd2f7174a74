import HLS

/// A multivariant playlist without what depends on the window: bit rates, and the query of its URIs.
///
/// It is written once for all windows in which the same renditions have the same formats.
final class MultivariantTemplate: Sendable {
    private enum Place {
        case rates(Combination)
        /// Of the rendition at a position.
        case keyFrameRate(Int)
        case query
    }

    /// The text before each place, and after the last one.
    private let texts: [[UInt8]]
    private let places: [Place]

    /// Nil if a text of the source contains a placeholder.
    init?(_ renditions: [MeasuredRendition]) {
        let text = MultivariantRenderer(renditions: renditions, isClosed: true, query: Mark.query)
        let (combinations, keyFrames) = (text.combinations, text.variantsWithKeyFrames)
        let playlist = Self.marked(text.playlist())
        var (texts, places): ([[UInt8]], [Place]) = ([], [])
        var (own, rest) = ([UInt8](), playlist.writtenBytes()[...])
        var (rates, keyFrameRates, queries) = (0, 0, 0)
        func add(_ place: Place, _ mark: [UInt8]) {
            texts.append(own)
            places.append(place)
            own = []
            rest = rest.dropFirst(mark.count)
        }
        while let byte = rest.first {
            if rest.starts(with: Mark.rates) {
                guard rates < combinations.count else { return nil }
                add(.rates(combinations[rates]), Mark.rates)
                rates += 1
            } else if rest.starts(with: Mark.keyFrameRate) {
                guard keyFrameRates < keyFrames.count else { return nil }
                add(.keyFrameRate(keyFrames[keyFrameRates]), Mark.keyFrameRate)
                keyFrameRates += 1
            } else if rest.starts(with: Mark.queryText) {
                add(.query, Mark.queryText)
                queries += 1
            } else {
                own.append(byte)
                rest = rest.dropFirst()
            }
        }
        let uris = playlist.renditions.count { $0.uri?.hasSuffix(Mark.query) ?? false }
        guard rates == combinations.count, keyFrameRates == keyFrames.count,
            queries == uris + combinations.count + keyFrames.count
        else { return nil }
        (self.texts, self.places) = (texts + [own], places)
    }

    /// Placeholders in the text for values that depend on the window.
    ///
    /// No source states such numbers. If a text of a source contains a placeholder, the text has more
    /// placeholders than places, and there is no template.
    private enum Mark {
        static let peak = Int(Limits.bitRate) + 1
        static let average = Int(Limits.bitRate) + 2
        static let keyFrames = Int(Limits.bitRate) + 3
        /// A character for private use.
        static let query = "\u{E000}"

        static let rates = Array("BANDWIDTH=\(peak),AVERAGE-BANDWIDTH=\(average)".utf8)
        static let keyFrameRate = Array("BANDWIDTH=\(keyFrames)".utf8)
        static let queryText = Array("?\(query)".utf8)
    }

    private static func marked(_ playlist: MultivariantPlaylist) -> MultivariantPlaylist {
        var marked = playlist
        for index in marked.variants.indices {
            marked.variants[index].bandwidth = Mark.peak
            marked.variants[index].averageBandwidth = Mark.average
        }
        for index in marked.iFrameStreams.indices { marked.iFrameStreams[index].bandwidth = Mark.keyFrames }
        return marked
    }

    /// The playlist of a window; nil if its query cannot be part of a URI.
    ///
    /// The rates are those of the renditions that it was made of, in their order.
    func written(_ rates: [BitRate], keyFrameRates: [Int64?], query: String?) -> [UInt8]? {
        let query = query.map { Array("?\($0)".utf8) } ?? []
        guard query.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }) else { return nil }
        let byteCount = texts.reduce(0) { $0 + $1.count + max(query.count, Self.placeBytes) }
        var buffer = TextBuffer(capacity: byteCount)
        for (text, place) in zip(texts, places) {
            buffer.append(text)
            switch place {
            case .query: buffer.append(query)
            case .rates(let combination):
                let rate = combination.bitRate { rates[$0] }
                buffer.append("BANDWIDTH=")
                buffer.append(decimal: UInt64(max(1, rate.peak)))
                buffer.append(",AVERAGE-BANDWIDTH=")
                buffer.append(decimal: UInt64(max(0, rate.average)))
            case .keyFrameRate(let position):
                buffer.append("BANDWIDTH=")
                buffer.append(decimal: UInt64(max(1, keyFrameRates[position] ?? 0)))
            }
        }
        if let last = texts.last { buffer.append(last) }
        return buffer.finish()
    }

    /// Bytes of the longest place but a query.
    private static let placeBytes = 80
}
