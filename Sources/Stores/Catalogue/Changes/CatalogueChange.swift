import Postgres
package import Timeline

/// A change that this process or another one made.
package enum CatalogueChange: Sendable, Equatable {
    /// The settings of a channel changed, or it was created or deleted.
    case channel(ChannelID)
    /// The published log or the archive of a channel changed.
    case publishedHead(PublishedHeadChange)
    /// The connection was lost for a while: anything may have changed.
    case anything
}

extension CatalogueChange {
    init(_ event: PostgresListenerEvent) {
        switch event {
        case .reconnected: self = .anything
        case .notification(let heard): self.init(announcement: heard.channel, payload: heard.payload)
        }
    }

    /// Reads an announcement; one that this program cannot read counts as `anything`.
    init(announcement: String, payload: String) {
        let change: CatalogueChange? =
            switch announcement {
            case Catalogue.Announcement.channel: ChannelID(payload).map(CatalogueChange.channel)
            case Catalogue.Announcement.publishedHead:
                PublishedHeadChange(payload: payload).map(CatalogueChange.publishedHead)
            default: nil
            }
        self = change ?? .anything
    }
}

extension Catalogue {
    /// Delivers changes over a connection outside the pool until the stream is cancelled or released.
    ///
    /// The stream starts with `anything` and repeats it after every lost connection. If the consumer falls
    /// behind by more than `Limits.waitingChanges`, the oldest changes are dropped and `anything` follows.
    package func changes() -> AsyncStream<CatalogueChange> {
        let events = pool.notifications(channels: [Announcement.channel, Announcement.publishedHead])
        return AsyncStream(bufferingPolicy: .bufferingNewest(Limits.waitingChanges)) { continuation in
            let listening = Task {
                for await event in events {
                    guard case .dropped = continuation.yield(CatalogueChange(event)) else { continue }
                    continuation.yield(.anything)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in listening.cancel() }
        }
    }
}
