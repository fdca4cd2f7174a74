import Postgres
package import Timeline

/// What another process, or this one, changed.
package enum CatalogueChange: Sendable, Equatable {
    /// A channel's settings, its coming or going.
    case channel(ChannelID)
    /// What is published or recorded of a channel, by its row.
    case line(Int32)
    /// The connection was made anew: anything may have changed meanwhile.
    case anything
}
