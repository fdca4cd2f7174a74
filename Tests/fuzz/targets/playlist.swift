@testable import HLS

/// A text of either kind of playlist.
///
/// What is read can be written, and after the first writing nothing changes any more.
func examine(_ input: [UInt8]) {
    let source = VariableSource(query: "token=a%2Fb&empty", imports: ["auth": "k=v"])
    guard let first = try? Playlist.reading(input, source: source) else { return }
    require(
        first.notes.count <= Deviation.allCases.count * (PlaylistTag.allCases.count + 1), "few notes")
    if case .media(let playlist) = first.playlist {
        require(playlist.segments.allSatisfy { $0.durationMicroseconds >= 0 }, "durations are not negative")
        require(playlist.durationMicroseconds >= 0, "the sum of durations is not negative")
        if !playlist.segments.isEmpty {
            require((playlist.targetDurationSeconds ?? 0) > 0, "segments have a target duration")
            _ = playlist.number(at: playlist.segments.count - 1)
        }
        _ = playlist.minimalVersion
    }
    guard let second = try? Playlist.reading(first.playlist.writtenBytes(), source: source).playlist,
        let third = try? Playlist.reading(second.writtenBytes(), source: source).playlist
    else { return }
    require(second == third, "writing and reading converge")
}
