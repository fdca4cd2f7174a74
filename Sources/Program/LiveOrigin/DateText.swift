import Foundation

/// Dates as playlists and the ledger write them.
enum DateText {
    /// RFC 3339 in UTC with milliseconds.
    static func rfc3339(seconds: Double) -> String {
        let milliseconds = (seconds * 1000).rounded()
        // Half a microsecond keeps the formatter, which truncates, at the right millisecond.
        let date = Date(timeIntervalSince1970: milliseconds / 1000 + 0.000_000_5)
        return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
