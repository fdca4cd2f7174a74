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

    /// A path without what may be a token: the second part behind `/t/`, and user and password of the paths
    /// that other servers have.
    static func shown(_ path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 2 else { return path }
        let secrets: Range<Int>
        switch parts[1] {
        case "t": secrets = 2..<3
        case "timeshift", "movie", "series": secrets = 2..<4
        // Objects of a channel have as many parts: behind a rendition's id, or keys.
        case "live" where parts.count == 5 && parts[3] != "keys" && RenditionID(String(parts[3])) == nil:
            secrets = 2..<4
        default: return path
        }
        for place in secrets.clamped(to: 0..<parts.count) { parts[place] = "-" }
        return parts.joined(separator: "/")
    }
}
