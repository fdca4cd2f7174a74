import HLS

/// Segments of a live presentation that an earlier process has recorded, as the folder's playlist lists them.
///
/// The source lists them no longer, so that nothing else tells their lengths, dates and keys.
struct RecordedParts: Sendable {
    /// By file within the folder of the rendition.
    private var segments: [String: MediaSegment] = [:]
    /// Files that are there.
    private let files: Set<String>
    let discontinuitySequence: UInt64?
    /// Whether the source had not ended when the playlist was written.
    let isLive: Bool

    init(_ playlist: MediaPlaylist, files: Set<String>) {
        for segment in playlist.segments { segments[Self.lastPart(of: segment.uri)] = segment }
        self.files = files
        discontinuitySequence = playlist.discontinuitySequence
        isLive = !playlist.isEnded
    }

    /// What is known of a part; nil when the playlist does not list it, so that it was never fetched.
    func segment(of part: KeptPart) -> MediaSegment? {
        guard var segment = segments[part.file] else { return nil }
        segment.isGap = !files.contains(part.file) || part.initSection.map { !files.contains($0) } ?? false
        return segment
    }

    /// The last part of a relative URI, such as `00001.ts`.
    static func lastPart(of uri: String) -> String {
        uri.split(separator: "/").last.map(String.init) ?? uri
    }
}
