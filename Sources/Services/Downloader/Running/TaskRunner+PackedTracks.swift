import MediaFormat
import Processes
import Timeline

/// The tracks of a file that ffmpeg makes.
///
/// The program map of a transport stream may announce streams of which nothing comes, or comes late. ffmpeg
/// does not begin a file that has one of them, so it is told which to take.
struct PackedTracks: Sendable, Equatable {
    /// How much of its input ffmpeg reads before it decides what is in it; empty means its defaults.
    private(set) var probing: [String] = []
    /// The tracks that are taken: all, unless some have no media.
    private(set) var mapping = ["-map", "0:v?", "-map", "0:a?"]
    /// The renditions none of whose tracks is taken.
    private(set) var absent: Set<RenditionID> = []

    /// The video and audio that a rendition announces.
    struct Announced: Sendable {
        var id: RenditionID
        /// Those with media have a first time.
        var tracks: [Track]
        /// Bytes in which the media of all of them begin.
        var byteCount = 0
    }

    /// All tracks of a source of which nothing is known.
    init() {}

    /// `renditions` are in the order in which ffmpeg numbers their tracks.
    init(_ renditions: [Announced]) {
        let isWhole = renditions.allSatisfy { $0.tracks.allSatisfy { $0.firstTimestamp != nil } }
        if !isWhole {
            let found = [("v", Track.Kind.video), ("a", .audio)].flatMap { letter, kind in
                let tracks = renditions.flatMap(\.tracks).filter { $0.kind == kind }
                return tracks.enumerated().flatMap { index, track in
                    track.firstTimestamp == nil ? [] : ["-map", "0:\(letter):\(index)"]
                }
            }
            if !found.isEmpty { mapping = found }
            absent = Set(renditions.filter { $0.tracks.allSatisfy { $0.firstTimestamp == nil } }.map(\.id))
        }
        let byteCount = renditions.map(\.byteCount).max() ?? 0
        if byteCount > 0 { probing = FFmpegOptions.probing(byteCount: byteCount) }
    }
}

extension TaskRunner {
    /// What ffmpeg is told to take.
    func packedTracks() async throws(DownloadError) -> PackedTracks {
        var renditions: [PackedTracks.Announced] = []
        // ffmpeg numbers the renditions of a multivariant playlist before its variants.
        for kind in [RenditionKind.audio, .video] {
            for plan in plans where plan.id.kind == kind {
                guard let announced = try await announcedTracks(of: plan) else { return PackedTracks() }
                renditions.append(announced)
            }
        }
        return PackedTracks(renditions)
    }

    /// The tracks of a rendition: those of its first segment; nil if it cannot be inspected.
    ///
    /// In other containers than transport streams the ones without media do no harm.
    private func announcedTracks(
        of plan: RenditionPlan,
    ) async throws(DownloadError) -> PackedTracks.Announced? {
        guard let first = plan.parts.first(where: \.isDone),
            let inspection = try await inspection(of: first, in: plan)
        else { return nil }
        let tracks = inspection.tracks.filter { $0.kind == .video || $0.kind == .audio }
        let isStream = inspection.container == .transportStream && first.initSection == nil
        guard isStream, tracks.contains(where: { $0.firstTimestamp == nil }) else {
            return PackedTracks.Announced(id: plan.id, tracks: tracks.map(\.withMedia))
        }
        return try await searched(PackedTracks.Announced(id: plan.id, tracks: tracks), in: plan)
    }

    /// Looks for the media of tracks in one segment after the other.
    private func searched(
        _ announced: PackedTracks.Announced, in plan: RenditionPlan,
    ) async throws(DownloadError) -> PackedTracks.Announced {
        var announced = announced
        var rewriter = PIDRewriter()
        var byteCount = 0
        for part in plan.parts where part.isDone {
            let name = "\(plan.id)/\(part.names.file)"
            var inspector = StreamingInspector()
            var offset: Int64 = 0
            rewriter.begin()
            while true {
                if Task.isCancelled { throw .cancelled }
                let piece = try await folder.piece(of: name, at: offset)
                offset += Int64(piece.count)
                inspector.append(piece.isEmpty ? rewriter.finish() : rewriter.append(piece))
                if announced.note(inspector) { announced.byteCount = byteCount + Int(offset) }
                if announced.isWhole { return try announced.checked() }
                if piece.isEmpty { break }
            }
            byteCount += Int(offset)
        }
        return try announced.checked()
    }
}

extension PackedTracks.Announced {
    fileprivate var isWhole: Bool { tracks.allSatisfy { $0.firstTimestamp != nil } }

    /// Notes which tracks have media in a segment; whether there are more of them now.
    fileprivate mutating func note(_ inspector: StreamingInspector) -> Bool {
        guard let found = try? inspector.finish().tracks else { return false }
        var isNew = false
        for index in tracks.indices where tracks[index].firstTimestamp == nil {
            tracks[index].firstTimestamp = found.first { $0.id == tracks[index].id }?.firstTimestamp
            isNew = isNew || tracks[index].firstTimestamp != nil
        }
        return isNew
    }

    /// Throws where ffmpeg cannot hold all that comes before the media of a track.
    fileprivate func checked() throws(DownloadError) -> Self {
        guard byteCount <= Limits.openingBytes else {
            throw .unusable("a track of \(id) begins too late for one file; take a folder")
        }
        return self
    }
}

extension Track {
    /// A track that is taken in any case.
    fileprivate var withMedia: Track {
        var track = self
        if track.firstTimestamp == nil { track.firstTimestamp = MediaTimestamp(mpeg: 0) }
        return track
    }
}
