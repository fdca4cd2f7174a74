import Logging
import Postgres
import Synchronization
import Timeline

extension Catalogue {
    /// Every channel that ever was, for processes that keep a picture of them all.
    ///
    /// One that this program cannot read is left out, so that it does not hold the others; that is said once.
    package func everyChannel() async throws(CatalogueError) -> [Channel] {
        try await asking {
            let rows = try await pool.query(
                "SELECT \(verbatim: Self.columns), slug FROM channel ORDER BY channel_id")
            var faults: [String: String] = [:]
            var channels: [Channel] = []
            for row in rows {
                do {
                    channels.append(try Self.channel(from: row))
                } catch {
                    let slug: String = try row.decode("slug")
                    faults[slug] = "\(CatalogueError.wrapping(error))"
                }
            }
            for (slug, fault) in channelFaults.news(in: faults) {
                logger.warning(
                    "A channel cannot be read", metadata: ["channel": "\(slug)", "cause": "\(fault)"])
            }
            return channels
        }
    }
}

/// What was wrong when it was last looked at, by name, so that it is reported once.
final class KnownFaults: Sendable {
    private let known = Mutex<[String: String]>([:])

    /// Takes what is wrong now; what of it was not wrong in the same words before, in order of the names.
    func news(in faults: [String: String]) -> [(name: String, fault: String)] {
        known.withLock { known in
            defer { known = faults }
            return faults.filter { known[$0.key] != $0.value }.sorted { $0.key < $1.key }
                .map { (name: $0.key, fault: $0.value) }
        }
    }
}
