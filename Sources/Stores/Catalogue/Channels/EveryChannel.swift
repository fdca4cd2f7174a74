import Logging
import Postgres
import Synchronization
import Timeline

extension Catalogue {
    /// Returns all channels, deleted ones too, for processes that keep track of every channel.
    ///
    /// A channel that this program cannot read is left out, so that it does not block the others. Each such
    /// fault is logged once. A recorder that already works on the channel goes on. The admin API can replace
    /// the settings (PUT) or delete the channel.
    package func everyChannel() async throws(CatalogueError) -> [Channel] {
        try await mappingErrors {
            let rows = try await pool.query(
                "SELECT \(verbatim: StoredChannel.columns) FROM channel ORDER BY channel_id")
            var faults: [String: String] = [:]
            var channels: [Channel] = []
            for row in rows {
                do {
                    channels.append(try StoredChannel(from: row, known: knownSettings).channel.get())
                } catch {
                    let slug: String = try row.decode("slug")
                    faults[slug] = "\(CatalogueError.wrapping(error))"
                }
            }
            knownSettings.keep(Set(channels.map(\.row)))
            for (slug, fault) in channelFaults.news(in: faults) {
                logger.warning(
                    "Cannot read a channel", metadata: ["channel": "\(slug)", "error": "\(fault)"])
            }
            return channels
        }
    }
}

/// The faults found by the last check, by channel, so that each is logged only once.
final class KnownFaults: Sendable {
    private let known = Mutex<[String: String]>([:])

    /// Stores the current faults and returns those that are new or have changed, ordered by name.
    func news(in faults: [String: String]) -> [(name: String, fault: String)] {
        known.withLock { known in
            defer { known = faults }
            return faults.filter { known[$0.key] != $0.value }.sorted { $0.key < $1.key }
                .map { (name: $0.key, fault: $0.value) }
        }
    }
}
