import HLS

/// Corrects the numbers of a source whose playlist slides without a change of EXT-X-MEDIA-SEQUENCE.
///
/// RFC 8216bis §6.2.2 wants the number to rise by one with each removed segment; encoders that write one
/// growing file (byte ranges) do not do it. The entries that two playlists share tell how far it has slid.
struct NumberAlignment: Sendable {
    /// What has to be added to the listed numbers.
    private(set) var shift: Int64 = 0
    /// The last playlist's entries, as corrected.
    private(set) var known: [SeenEntry] = []

    /// The playlist with the numbers that its entries had before; correcting the same playlist again gives
    /// the same result.
    mutating func corrected(_ playlist: MediaPlaylist) -> MediaPlaylist {
        let corrected = playlist.counting(on: shift)
        let entries = SeenEntry.entries(of: corrected, known: known)
        guard let slid = slide(entries) else {
            known = entries
            return corrected
        }
        shift += slid
        let counted = playlist.counting(on: shift)
        known = SeenEntry.entries(of: counted)
        return counted
    }

    /// The number that the source gives an entry of a corrected playlist.
    func listedNumber(_ playlist: MediaPlaylist, _ index: Int) -> UInt64 {
        playlist.number(at: index) &- shift.magnitude
    }

    /// The entries of `playlist` if it was corrected last; nil for any other playlist.
    func entries(of playlist: MediaPlaylist) -> [SeenEntry]? {
        guard known.count == min(playlist.segments.count, Limits.recentEntries),
            known.last?.number == PlaylistFollower.number(playlist, playlist.segments.count - 1)
        else { return nil }
        return known
    }

    /// How far the playlist slid without counting; nil when its numbers do not contradict its names, or when
    /// it does not begin with the end of the playlist before.
    private func slide(_ entries: [SeenEntry]) -> Int64? {
        guard let first = entries.first, SeenEntry.haveOtherNames(entries, than: known),
            let start = known.firstIndex(where: { $0.isSame(as: first) }), start > 0,
            zip(known[start...], entries).allSatisfy({ $0.isSame(as: $1) })
        else { return nil }
        let slid = known[start].number - first.number
        return slid > 0 ? slid : nil
    }
}

extension MediaPlaylist {
    /// The playlist with a higher media sequence number; unchanged where the number would leave its range.
    fileprivate func counting(on shift: Int64) -> MediaPlaylist {
        let (number, overflow) = mediaSequence.addingReportingOverflow(shift.magnitude)
        guard shift > 0, !overflow else { return self }
        var playlist = self
        playlist.mediaSequence = number
        return playlist
    }
}
