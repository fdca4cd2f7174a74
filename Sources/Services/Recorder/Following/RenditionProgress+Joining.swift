import HLS
import Timeline

/// Where another source stands that takes over.
extension RenditionProgress {
    /// How far it is known what another source's playlist shows.
    enum Join: Sendable {
        case none
        /// A source has just taken over.
        case open
        /// A segment with this number is being read.
        case asked(Int64)
        case found(JoinPoint)
    }

    /// Where another source's playlist is joined best: at its first segment, which was recorded most likely.
    ///
    /// Nil where dates tell it: those of both sources do.
    mutating func askToJoin(_ playlist: MediaPlaylist) -> Int? {
        switch join {
        case .none, .found: return nil
        case .open, .asked: join = .none
        }
        let isDated = playlist.segments.contains { $0.programDateTimeMicroseconds != nil }
        guard !isDated || placing.clock == .arrival, let number = PlaylistFollower.number(playlist, 0) else {
            return nil
        }
        join = .asked(number)
        return 0
    }
}
