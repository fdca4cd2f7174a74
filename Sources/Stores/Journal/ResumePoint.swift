package import Timeline

/// What a recorder of a channel must know to begin while the catalogue is away, besides the facts in the
/// journal.
///
/// It is there as long as this node owns the channel.
package struct ResumePoint: Sendable, Equatable, Codable {
    /// The channel's row in the catalogue.
    package var row: Int32
    package var settings: ChannelSettings
    package var version: Int64
    /// The number of the last lease.
    package var fence: Int64
    /// End of the published log when the lease began.
    package var end: Instant
    /// Whether another node may have recorded last before the lease, so that this journal lacks its facts;
    /// nil if that is not known.
    package var followsOther: Bool?
    package var targetSeconds: Int
    package var renditions: [RenditionDescription]
    /// The source run with the highest id.
    package var sourceRun: SourceRun?
    /// The one that was recorded last when the lease began; nil if that is not known.
    ///
    /// A node that was cut off may have begun a later one.
    package var lastRun: SourceRun?
    /// Segments with a lower fence that begin at `reanchored` or later belong to a timeline that was left.
    ///
    /// Both are nil if the channel was never reanchored.
    package var reanchorFence: Int64?
    package var reanchored: Instant?

    package init(
        row: Int32, settings: ChannelSettings, version: Int64, fence: Int64, end: Instant,
        targetSeconds: Int, renditions: [RenditionDescription], sourceRun: SourceRun?,
        lastRun: SourceRun? = nil,
    ) {
        self.row = row
        self.settings = settings
        self.version = version
        self.fence = fence
        self.end = end
        self.targetSeconds = targetSeconds
        self.renditions = renditions
        self.sourceRun = sourceRun
        self.lastRun = lastRun
    }

    /// The same with what entries of the journal say of renditions and source runs.
    package func adding(_ entries: [JournalEntry]) -> ResumePoint {
        var point = self
        for entry in entries {
            switch entry {
            case .rendition(let description):
                point.renditions.removeAll { $0.id == description.id }
                point.renditions.append(description)
            case .sourceRun(let run):
                if run.id > point.sourceRun?.id ?? 0 { point.sourceRun = run }
            case .segment, .keyPending, .loss, .marker: break
            }
        }
        return point
    }
}
