import Catalogue
import Timeline

/// The edges of long windows, without what lies between them.
extension TimelineIndex {
    /// The segments of each rendition in the first and in the last quarter of an hour that a window holds.
    ///
    /// Nil if the window is short or in memory, so that it can as well be read as a whole, or if its edges
    /// cannot be told.
    func edges(
        of head: ChannelHead, in window: TimeWindow, for client: String?,
    ) async throws(PlaybackError) -> [ListedRendition]? {
        let selection = BlockSelection(
            window: window, scope: .archive, watermark: head.publishedHead.watermark)
        let ranges = head.renditions.compactMap { selection.range(of: $0) }
        guard ranges.reduce(0, { $0 + $1.count }) > Limits.blocksWithoutTurn,
            blocks.missing(ranges) > Limits.blocksWithoutTurn
        else { return nil }
        return try await coldWindows.take(for: client) { () async throws(PlaybackError) in
            try await PlaybackError.mapping { () async throws(CatalogueError) in
                try await self.edgesAtOnce(of: head, selection)
            }
        }
    }

    private func edgesAtOnce(
        of head: ChannelHead, _ selection: BlockSelection,
    ) async throws(CatalogueError) -> [ListedRendition]? {
        let edges = try await catalogue.edgeQuarters(of: head.renditions.map(\.row), in: selection.window)
        var listed: [ListedRendition] = []
        for rendition in head.renditions {
            guard let edge = edges[rendition.row] else { continue }
            var segments = SegmentList()
            for quarter in edge.quarters {
                let found = try await blocks.blocks(
                    QuarterRange(first: quarter, count: 1), of: rendition.description.id)
                let own = selection.segments(of: found)
                // It has changed meanwhile, or the window lies in a hole.
                if own.isEmpty || found.contains(where: \.summary.waitsForKey) { return nil }
                segments.append(own)
            }
            listed.append(ListedRendition(description: rendition.description, segments: segments))
        }
        return listed
    }

    /// Whether all that renditions hold in a window can be in one playlist of each, so that its edges are
    /// those of the answer.
    ///
    /// Mostly the formats of the channel tell that. Where they differ, the formats of each rendition do.
    func fitsOnePlaylist(
        _ renditions: [ListedRendition], of head: ChannelHead, in window: TimeWindow, for client: String?,
    ) async throws(PlaybackError) -> Bool {
        let ids = Set(renditions.map(\.id))
        let rows = head.renditions.filter { ids.contains($0.description.id) }.map(\.row)
        return try await coldWindows.take(for: client) { () async throws(PlaybackError) in
            try await PlaybackError.mapping { () async throws(CatalogueError) in
                try await self.fitsOnePlaylistAtOnce(rows, of: head.channel, in: window)
            }
        }
    }

    private func fitsOnePlaylistAtOnce(
        _ renditions: [Int32], of channel: Int32, in window: TimeWindow,
    ) async throws(CatalogueError) -> Bool {
        let all = try await catalogue.formatKinds(of: channel, usedAfter: window.begin)
        if all?.fitOnePlaylist ?? false { return true }
        for rendition in renditions {
            let own = try await catalogue.formatKinds(of: rendition, in: window)
            guard own?.fitOnePlaylist ?? false else { return false }
        }
        return true
    }
}

extension [FormatKind] {
    /// Whether segments of all kinds are listed wherever one of them is.
    fileprivate var fitOnePlaylist: Bool {
        guard let first, !contains(where: \.lacksKey) else { return false }
        if count == 1 { return true }
        // Segments whose tracks are unknown join any of the same container, though these may not join.
        return allSatisfy { !$0.format.tracks.isEmpty && $0.format.joins(first.format) }
    }
}
