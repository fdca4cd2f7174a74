import HTTP
import HTTPServer
import Logging
import Timeline

/// A log line for each request.
///
/// Its level is `info`, and the lines are written whatever level the rest of the log has.
struct AccessLog: Sendable {
    private let logger: Logger

    init(_ logger: Logger) {
        var logger = logger
        logger.logLevel = .info
        self.logger = logger
    }

    /// Writes the line of a request; returns at once.
    ///
    /// Queries and headers are left out: they may have tokens.
    func finished(_ summary: RequestSummary) {
        let milliseconds = summary.duration / .milliseconds(1)
        var metadata: Logger.Metadata = [
            "client": "\(summary.remoteAddress)", "method": "\(summary.method.rawValue)",
            "path": "\(Self.shown(summary.path))", "status": "\(summary.status?.rawValue ?? 0)",
            "bytes": "\(summary.byteCount)",
            "milliseconds": "\((milliseconds * 1000).rounded() / 1000)",
        ]
        if let id = summary.requestID { metadata["request"] = "\(id)" }
        if !summary.isComplete { metadata["complete"] = "false" }
        logger.info("Request", metadata: metadata)
    }

    /// A path without what may be a token: what follows `/t/`, and user and password in the paths that other
    /// servers have.
    static func shown(_ path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        var first = 1
        if parts.count > 2, parts[1] == "t" {
            parts[2] = "-"
            first = 3
        }
        guard parts.count > first + 1 else { return parts.joined(separator: "/") }
        let hasCredentials =
            switch parts[first] {
            case "timeshift", "movie", "series": true
            // `/live/{user}/{password}/{file}`, but not `/live/{channel}/{rendition}/{file}`.
            case "live": parts.count == first + 4 && !isFolder(parts[first + 2])
            default: false
            }
        if hasCredentials {
            for place in (first + 1..<first + 3).clamped(to: 0..<parts.count) { parts[place] = "-" }
        }
        return parts.joined(separator: "/")
    }

    /// Whether a part of a path is the folder of a rendition or of keys.
    private static func isFolder(_ part: Substring) -> Bool {
        part == "keys" || RenditionID(String(part)) != nil
    }
}
