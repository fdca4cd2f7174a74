import Catalogue
package import Timeline

/// I-frame playlists.
extension PlaybackService {
    /// The I-frame playlist of a rendition in the window.
    ///
    /// The places of the key frames are read from the catalogue, and no media; then they stay in memory with
    /// their blocks.
    package func keyFramePlaylist(
        of id: RenditionID, in contents: PlaylistContents, isCompressed: Bool, for client: String? = nil,
    ) async throws(PlaybackError) -> RenderedPlaylist {
        guard let rendition = contents[id] else { throw .noSuchRendition(id) }
        let blocks = rendition.keyFrameBlocks
        guard !blocks.isEmpty else { throw .noKeyFrames(id) }
        try await index.readKeyFrames(of: blocks, id, isCompressed: isCompressed, for: client)
        let texts = blocks.compactMap { $0.keyFrames.load()?.text }
        let missing = texts.filter { !$0.isReady(isCompressed: isCompressed) }
        // A growing playlist shares no text.
        let isOwn = contents.plan.kind != .closed && rendition.segments.count > Limits.entriesWithoutTurn
        let isLong =
            blocks.count > Limits.piecesWithoutTurn || missing.count > Limits.textsWithoutTurn || isOwn
        let playlist = try await inTurn(
            isLong, leavesThread: blocks.count > Limits.piecesAtOnce, for: client
        ) {
            () async throws(PlaybackError) in
            try await BlockText.prepare(missing, isCompressed: isCompressed)
            var text = KeyFramePlaylistRenderer(contents: contents, rendition: rendition)
            return try text.written().map { pieces throws(PlaybackError) in try RenderedPlaylist(pieces) }
        }
        guard let playlist else { throw .noKeyFrames(id) }
        return playlist
    }

    /// The highest bit rate of the key frames of each rendition that has some, for a multivariant playlist.
    ///
    /// What is not known yet is measured. While the catalogue is unavailable or busy, renditions whose rate
    /// is not known are left out: the playlist is still right, and players need no key frames to play it, but
    /// it is not complete.
    func keyFrameRates(
        of contents: PlaylistContents, for client: String?,
    ) async throws(PlaybackError) -> (known: [RenditionID: Int64], isComplete: Bool) {
        var rates: [RenditionID: Int64] = [:]
        var isComplete = true
        for rendition in contents.renditions where rendition.id.kind == .video {
            let blocks = rendition.keyFrameBlocks
            guard !blocks.isEmpty else { continue }
            do throws(PlaybackError) {
                try await index.measureKeyFrames(of: blocks, keyFrameRates, for: client)
            } catch {
                switch error {
                case .busy: break
                case .catalogue(let error) where error.isTransient: break
                default: throw error
                }
            }
            rates[rendition.id] = keyFrameRates.highest(of: blocks.map(\.place))
            if rates[rendition.id] == nil { isComplete = false }
        }
        return (rates, isComplete)
    }
}

extension ListedRendition {
    /// The blocks with key frames that a player may read alone, each once.
    var keyFrameBlocks: [Block] {
        var blocks: [Block] = []
        for piece in segments.pieces
        where blocks.last?.quarter != piece.block.quarter && piece.hasKeyFrames {
            blocks.append(piece.block)
        }
        return blocks
    }
}

extension SegmentList.Piece {
    /// Whether key frames are known of one of its segments that is not encrypted.
    fileprivate var hasKeyFrames: Bool {
        block.summary.hasKeyFrames && (isWhole || segments.contains(where: block.isReadableAlone))
    }
}

extension Block {
    fileprivate func isReadableAlone(_ segment: RecordedSegment) -> Bool {
        segment.flags.contains(.hasKeyFrames) && formats[segment.formatID]?.isClear ?? false
    }
}
