import HLS
import Timeline

/// Other playlists of a rendition.
extension ChannelProgress {
    /// Where the leading rendition lies among the others.
    var leaderPlace: Int? { leading.flatMap { renditions.place(of: $0) } }

    /// Whether a playlist that leaves segments out shows all that a rendition lacks (RFC 8216bis §6.3.7).
    func isContinued(_ id: RenditionID, by playlist: MediaPlaylist) -> Bool {
        guard let highest = renditions[id]?.follower.highest, let first = PlaylistFollower.number(playlist, 0)
        else { return false }
        return first <= highest + 1
    }

    /// Whether a rendition's first playlist reaches back behind what was read of the catalogue.
    mutating func reachesBehindKnown(_ id: RenditionID, _ playlist: MediaPlaylist) -> Bool {
        guard let place = renditions.place(of: id), let lowest = renditions.values[place].lowestKnown,
            let first = PlaylistFollower.number(playlist, 0)
        else { return false }
        renditions.values[place].lowestKnown = nil
        return first < lowest
    }

    /// Whether a segment is the one that is read to find out where another source stands.
    func isJoining(_ identity: SegmentIdentity) -> Bool {
        switch renditions[identity.rendition]?.join {
        case .recalls(let number), .asked(let number): number == identity.number
        case .compares(let number, _): number + 1 == identity.number
        default: false
        }
    }

    /// Whether the channel goes on in another run, which another rendition has begun.
    func isInFormerRun(_ rendition: RenditionProgress) -> Bool {
        guard let sourceRun, let run = rendition.run else { return false }
        return run != sourceRun.id
    }

    /// The run of an earlier process in which the leading rendition goes on; nil while no playlist has shown
    /// that it does.
    var continuedRun: Int64? {
        guard let place = leaderPlace, !renditions.values[place].follower.entries.isEmpty else { return nil }
        return renditions.values[place].run
    }

    /// The source brings nothing to any rendition, until each of them lists something new.
    mutating func inTrouble(_ reason: GapReason) {
        for id in renditions.keys where renditions[id]?.trouble == nil { renditions[id]?.trouble = reason }
    }

    /// The same of one rendition, while the source goes on.
    mutating func inTrouble(_ reason: GapReason, _ id: RenditionID) {
        if renditions[id]?.trouble == nil { renditions[id]?.trouble = reason }
    }

    /// A rendition's playlist has ended.
    ///
    /// After a start, while it is not clear whether the playlist continues the recording, its end does not
    /// explain the time before it.
    mutating func ended(_ id: RenditionID, isInDoubt: Bool) {
        if isInDoubt, renditions[id]?.isResuming ?? false { return }
        inTrouble(.sourceEnded, id)
    }

    /// A rendition is taken from another stream of the source: its numbers may mean other segments.
    mutating func changeStream(of id: RenditionID) {
        renditions[id]?.hasOtherStream = true
        renditions[id]?.isOnSpareStream = true
        renditions[id]?.alignment = NumberAlignment()
    }
}
