import Postgres
package import Timeline

/// What another process, or this one, changed.
package enum CatalogueChange: Sendable, Equatable {
    /// A channel's settings, its coming or going.
    case channel(ChannelID)
    /// What is published or recorded of a channel.
    case publishedHead(PublishedHeadChange)
    /// The connection was made anew: anything may have changed meanwhile.
    case anything
}

extension CatalogueChange {
    init(_ event: PostgresListenerEvent) {
        switch event {
        case .reconnected: self = .anything
        case .notification(let heard): self.init(announcement: heard.channel, payload: heard.payload)
        }
    }

    /// Reads an announcement; one that this program cannot read may mean anything.
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
    /// Hears what changes, over a connection beside those of the pool, until the listening task is cancelled
    /// or the stream is let go.
    ///
    /// It begins with `anything`, says so again after each lost connection, and also when nobody took more than
    /// `Limits.waitingChanges` changes: then the oldest are gone.
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
