package import Catalogue
package import Concurrency
package import Journal
package import Logging
package import Monitoring
package import Timeline

/// What `RecordingState` wants done.
///
/// Each of the requests is answered by one event; at most one `journal`, one `readJournal` and one `commit`
/// are unanswered at a time.
package enum RecordingAction: Sendable {
    case fetchPlaylist(PlaylistRequest)
    case fetchSegment(SegmentRequest)
    /// Read a segment's bytes without keeping them.
    case probeSegment(ProbeRequest)
    /// Decrypt a segment that waits for its key, with the connection of a source.
    case openPendingSegment(KeyPendingSegment, SourceUse)
    /// Stop the downloads that are under way; each still answers.
    case cancelFetches

    /// Make entries durable, all or none.
    case journal([JournalEntry])
    /// Read at most `limit` entries after a position that are not done.
    case readJournal(after: JournalPosition?, limit: Int)
    /// Entries are in the catalogue.
    case trimJournal([JournalPosition])

    /// Keep entries that the catalogue refuses in a file of their own.
    case setAside([RefusedEntry], reason: String)

    case commit(Batch)
    /// The channel's first playlist was seen: what `index.m3u8` answers is fixed.
    case setPlaylistForm(PlaylistForm)
    /// Delete bytes that no fact of this recorder refers to, unless the catalogue refers to them.
    case deleteObject(ArchiveKey)

    case publishStatus(ChannelStatus)
    case log(RecordingMessage)
    /// Send `clockAdvanced` at this time; replaces the previous wait.
    case wait(until: SteadyInstant)
    /// The last action: nothing is under way any more.
    case end(RecordingEnding)
}

/// A line for the log.
package struct RecordingMessage: Sendable, Equatable {
    package var level: Logger.Level
    package var text: String
    package var metadata: [String: String] = [:]
}

/// Why the recording of a channel ended.
package enum RecordingEnding: Sendable, Equatable {
    /// A stop was requested.
    case stopped
    /// Another node has taken the channel.
    case leaseLost
    /// A playlist reaches further back than what was read of the catalogue: more must be read.
    case needsMoreHistory
    /// The journal refused what no retry can change.
    case failed(String)
}
