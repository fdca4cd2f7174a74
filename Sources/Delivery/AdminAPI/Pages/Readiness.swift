import Catalogue
import HTTP
import JSON
import Synchronization

/// Whether the parts that the server needs can be reached, as a background task last found them.
///
/// Reading the result never waits, even if a check hangs.
final class Readiness: Sendable {
    private struct Found {
        var catalogue = false
        var archive = false
        var ffmpeg = false
    }

    private let found = Mutex(Found())
    private let catalogue: ReachabilityCheck
    private let archive: ReachabilityCheck

    private let hasFFmpeg: @Sendable () -> Bool

    init(catalogue: ReachabilityCheck, archive: ReachabilityCheck, hasFFmpeg: @escaping @Sendable () -> Bool)
    {
        self.hasFFmpeg = hasFFmpeg
        self.catalogue = catalogue
        self.archive = archive
    }

    /// Checks both parts; returns within `Limits.checkSeconds`.
    func check() async {
        async let isCatalogueReachable = catalogue.succeeds()
        async let isArchiveReachable = archive.succeeds()
        let now = Found(
            catalogue: await isCatalogueReachable, archive: await isArchiveReachable, ffmpeg: hasFFmpeg())
        found.withLock { $0 = now }
    }

    /// Ready, or a 503 that names the part that cannot be reached.
    var response: HTTPResponse {
        let found = found.withLock { $0 }
        let parts = [("catalogue", found.catalogue), ("archive", found.archive)]
        // Without ffmpeg a few resources answer 501; everything else works.
        let members =
            parts.map { JSONValue.Member(name: $0.0, value: $0.1 ? "ok" : "unreachable") }
            + [.init(name: "ffmpeg", value: found.ffmpeg ? "ok" : "missing")]
        let missing = parts.filter { !$0.1 }.map { "the \($0.0)" }
        guard !missing.isEmpty else {
            return .json(.object([.init(name: "status", value: "ready")] + members))
        }
        let detail = missing.joined(separator: " and ") + " cannot be reached"
        return Problem(.serviceUnavailable, detail, members: members)
            .retryable(afterSeconds: Limits.retryAfterSeconds).answer
    }
}
