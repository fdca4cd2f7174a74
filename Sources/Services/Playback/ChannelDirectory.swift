package import Catalogue
package import Timeline

/// What is known of channels, for a moment without asking the catalogue again: a request for a playlist would else begin
/// with a query that nearly always says the same.
package final class ChannelDirectory: Sendable {
    private let catalogue: Catalogue
    private let recent = Recent<ChannelID, Channel>(
        age: Limits.directoryAge, capacity: Limits.directoryEntries)

    package init(catalogue: Catalogue) {
        self.catalogue = catalogue
    }

    /// A channel by its id, a deleted one too; nil when there never was one.
    package func channel(_ id: ChannelID, now: Instant) async throws(CatalogueError) -> Channel? {
        if let known = recent.value(of: id, now: now) { return known }
        let channel = try await catalogue.channel(id)
        if let channel { recent.keep(channel, for: id, now: now) }
        return channel
    }
}
