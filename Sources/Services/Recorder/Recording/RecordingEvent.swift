package import Catalogue
package import Journal
package import Timeline

/// An event for `RecordingState`; events are handled in the order in which they happened.
package enum RecordingEvent: Sendable {
    /// The channel's lease is held: its recording begins.
    case started
    /// The time that the last `wait(until:)` named has come.
    case clockAdvanced
    /// The process stops, or the channel's settings have changed: what is under way is finished, nothing is
    /// begun.
    case stopRequested

    case playlistArrived(FetchedPlaylist, PlaylistRequest)
    /// The playlist is still the one that the request knew; the moment is that of the answer.
    case playlistUnchanged(Moment, PlaylistRequest)
    case playlistFailed(SourceError, PlaylistRequest)

    /// A segment's bytes are durable in the archive.
    case segmentStored(StoredSegment, SegmentRequest)
    /// A segment's bytes are durable as they came: the key to read them is missing, whose URL may be refused.
    case segmentKeyMissed(KeyPendingSegment, SegmentRequest, isDenied: Bool = false)
    case segmentFailed(FetchFailure, SegmentRequest)
    /// The result of probing a segment; nil if a missing key prevents it.
    case segmentProbed(ProbedSegment?, ProbeRequest)
    case probeFailed(ProbeRequest)
    /// A segment that waited for its key was decrypted and stored, or was not.
    case pendingSegmentOpened(Result<StoredSegment, FetchFailure>, KeyPendingSegment)

    /// Positions of the entries of the last `journal`, in their order.
    case journalWritten(Result<[JournalPosition], JournalError>)
    /// What the last `readJournal` found.
    case journalRead(Result<[JournalLineRead], JournalError>)
    /// The answer to the last `commit`: whether the lease is still held.
    case catalogueAnswered(Result<Bool, CatalogueError>)
}

/// An entry of the journal that is not in the catalogue yet, and where it stands.
package struct JournalLineRead: Sendable {
    package var position: JournalPosition
    package var entry: JournalEntry

    package init(position: JournalPosition, entry: JournalEntry) {
        self.position = position
        self.entry = entry
    }
}
