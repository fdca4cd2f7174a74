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
            "path": "\(Self.redacted(summary.path))", "status": "\(summary.status?.rawValue ?? 0)",
            "bytes": "\(summary.byteCount)",
            "milliseconds": "\((milliseconds * 1000).rounded() / 1000)",
        ]
        if let id = summary.requestID { metadata["request"] = "\(id)" }
        if !summary.isComplete { metadata["complete"] = "false" }
        logger.info("Request", metadata: metadata)
    }

    /// A path with `-` in place of possible secrets.
    ///
    /// These are the part after `/t/`, and user and password in the paths of other servers. Apps join paths
    /// to addresses that end with `/`, so parts may be empty.
    static func redacted(_ path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        var named = parts.indices.filter { !parts[$0].isEmpty }[...]
        if let first = named.first, parts[first] == "t" {
            for place in named.dropFirst().prefix(1) { parts[place] = "-" }
            named = named.dropFirst(2)
        }
        let credentials = credentials(in: parts, named)
        for place in named.prefix(credentials.upperBound).dropFirst(credentials.lowerBound) {
            parts[place] = "-"
        }
        return parts.joined(separator: "/")
    }

    /// Which of the parts that are not empty are user and password.
    private static func credentials(in parts: [Substring], _ named: ArraySlice<Int>) -> Range<Int> {
        guard let first = named.first else { return 0..<0 }
        switch parts[first] {
        case "timeshift", "movie", "series": return 1..<3
        // `/live/{user}/{password}/{file}`, but not `/live/{channel}/{rendition}/{file}`.
        case "live": return parts.count == first + 4 && !isFolder(parts[first + 2]) ? 1..<3 : 0..<0
        case "api": return 0..<0
        // `/{user}/{password}/{channel}`, hidden also if there is no such channel.
        default: return named.count == 3 ? 0..<2 : 0..<0
        }
    }

    /// Whether a part of a path is the folder of a rendition or of keys.
    private static func isFolder(_ part: Substring) -> Bool {
        part == "keys" || RenditionID(String(part)) != nil
    }
}
