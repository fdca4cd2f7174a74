import Foundation

/// What the origin published, from the file that it writes before it lists anything.
struct LedgerEntry: Decodable, Sendable {
    /// Where a segment stands in the numbering of its rendition.
    struct Place: Hashable, Comparable {
        var sourceRun: Int
        var number: Int

        static func < (one: Place, other: Place) -> Bool {
            (one.sourceRun, one.number) < (other.sourceRun, other.number)
        }
    }

    var channel: String
    var rendition: String
    var source_run: Int
    var number: Int
    var duration: Double
    var program_date_time: Date
    /// Of the bytes as served.
    var sha256: String
    /// Of the bytes before they were encrypted.
    var clear_sha256: String
    var gap: Bool
    var served: Bool
    var listed_at: Double

    var place: Place { Place(sourceRun: source_run, number: number) }
    /// Milliseconds since 1970.
    var start: Int64 { Int64((program_date_time.timeIntervalSince1970 * 1000).rounded()) }
    var durationMilliseconds: Int64 { Int64((duration * 1000).rounded()) }
    var end: Int64 { start + durationMilliseconds }
    /// When the origin listed it, milliseconds since 1970.
    var listed: Int64 { Int64((listed_at * 1000).rounded()) }
    /// An instant that no rounding moves into a neighbour.
    var middle: Int64 { start + durationMilliseconds / 2 }

    /// Reads the whole lines of a ledger, for one rendition of a channel.
    static func reading(
        _ path: String, rendition: String, channel: String = Stack.channel,
    ) throws -> [LedgerEntry] {
        try reading(path).filter { $0.rendition == rendition && $0.channel == channel }
    }

    /// Reads all whole lines of a ledger.
    static func reading(_ path: String) throws -> [LedgerEntry] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let whole = text.prefix(through: text.lastIndex(of: "\n") ?? text.startIndex)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            return try Instant.date(text)
        }
        return try whole.split(separator: "\n")
            .map { try decoder.decode(LedgerEntry.self, from: Data($0.utf8)) }
    }
}

/// Instants as they travel in JSON and in playlists (RFC 3339).
enum Instant {
    static func date(_ text: String) throws -> Date {
        try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains(".")))
    }

    /// Milliseconds since 1970.
    static func milliseconds(_ text: String) throws -> Int64 {
        Int64((try date(text).timeIntervalSince1970 * 1000).rounded())
    }

    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }
}
