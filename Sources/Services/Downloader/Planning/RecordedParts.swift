import HLS

/// Segments that an earlier process has recorded, as the folder's playlist lists them.
///
/// A live source no longer lists them, so only this playlist has their durations, dates and keys.
struct RecordedParts: Sendable {
    /// By file within the folder of the rendition, with their places in the playlist.
    private var segments: [String: (segment: MediaSegment, place: Int)] = [:]
    /// Files that are there.
    private let files: Set<String>
    /// The playlist without its segments.
    let head: MediaPlaylist
    /// Whether the source had not ended when the playlist was written.
    var isLive: Bool { !head.isEnded }

    init(_ playlist: MediaPlaylist, files: Set<String>) {
        for (place, segment) in playlist.segments.enumerated() {
            segments[Self.lastPart(of: segment.uri)] = (segment, place)
        }
        self.files = files
        var head = playlist
        head.segments = []
        self.head = head
    }

    /// What is known of a part; nil when the playlist does not list it, so that it was never fetched.
    func segment(of part: PartNames) -> MediaSegment? {
        guard var segment = segments[part.file]?.segment else { return nil }
        segment.isGap = !files.contains(part.file) || part.initSection.map { !files.contains($0) } ?? false
        return segment
    }

    /// The name of the key of a part's initialization section, within the folder `keys`; nil if it has none.
    func sectionKey(of part: PartNames) -> String? {
        segments[part.file]?.segment.map?.keys.first?.uri.map(Self.lastPart)
    }

    /// The vector of a part's initialization section; nil if it has none.
    func sectionVector(of part: PartNames) -> UInt128? {
        segments[part.file]?.segment.map?.keys.first?.initializationVector
    }

    /// The parts that the playlist lists, in its order: a file that came later may play earlier.
    func inOrder(_ parts: some Sequence<PartNames>) -> [PartNames] {
        let placed = parts.compactMap { part in segments[part.file].map { (part: part, place: $0.place) } }
        return placed.sorted { $0.place < $1.place }.map(\.part)
    }

    /// Whether the playlist lists one part earlier than another.
    func lists(_ part: PartNames, before other: PartNames) -> Bool {
        guard let place = segments[part.file]?.place, let end = segments[other.file]?.place else {
            return false
        }
        return place < end
    }

    /// Whether the playlist lists a part as stored although its file is missing.
    func lacksFile(of part: PartNames) -> Bool {
        guard let listed = segments[part.file]?.segment, !listed.isGap else { return false }
        return segment(of: part)?.isGap ?? true
    }

    /// The last part of a relative URI, such as `00001.ts`.
    static func lastPart(of uri: String) -> String {
        uri.split(separator: "/").last.map(String.init) ?? uri
    }
}
