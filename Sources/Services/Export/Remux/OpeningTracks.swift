import MediaFormat
import Processes
import SegmentStore
import Timeline

/// The video and the audio with which a transport stream begins.
///
/// A program map may announce streams of which nothing comes. ffmpeg does not begin a file that has one of
/// them, so it is told which to take.
struct OpeningTracks: Sendable, Equatable {
    /// The PIDs of the first video and the first audio that have a unit.
    private(set) var found: [UInt32] = []
    /// The announced streams of a kind of which no stream has a unit.
    private(set) var absent: Set<UInt16> = []
    /// Whether ffmpeg would select the same tracks by default.
    private(set) var isAsAnnounced = true
    /// Bytes of the segments in which they were found.
    let byteCount: Int

    init(_ tracks: [Track], byteCount: Int, hasUnits: (UInt16) -> Bool) {
        self.byteCount = byteCount
        for kind in [Track.Kind.video, .audio] {
            let announced = tracks.filter { $0.kind == kind }
            guard let first = announced.first else { continue }
            guard let present = announced.first(where: { hasUnits(UInt16(truncatingIfNeeded: $0.id)) })
            else {
                absent.formUnion(announced.map { UInt16(truncatingIfNeeded: $0.id) })
                isAsAnnounced = false
                continue
            }
            found.append(present.id)
            isAsAnnounced = isAsAnnounced && present.id == first.id
        }
    }

    /// Makes ffmpeg read far enough to find these tracks.
    var probing: [String] { FFmpegOptions.probing(byteCount: byteCount) }

    var mapping: [String] { found.flatMap { ["-map", "0:i:\($0)"] } }
}

extension RemuxFeed {
    /// What a transport stream begins with, if ffmpeg would not find that by itself.
    ///
    /// Segments are read until each announced kind has a unit, at most `Limits.openingByteCount` and one
    /// segment.
    func openingTracks() async throws -> OpeningTracks? {
        guard case .one(let input) = plan.media, input.container == .transportStream else { return nil }
        let opener = SegmentOpener(store, input.channel, input.rendition, formats: input.formats)
        var (joiner, inspector) = (TransportStreamJoiner(), StreamingInspector())
        if let name = input.initName {
            inspector.append(try await store.read(.initialization(input.channel, input.rendition, name)))
        }
        var (byteCount, segmentCount) = (0, 0)
        var tracks: OpeningTracks?
        for segment in input.runs.lazy.flatMap(\.segments) {
            guard byteCount < Limits.openingByteCount else { break }
            try Task.checkCancellation()
            let reader = try await opener.reader(of: segment)
            joiner.begin(jumps: true)
            while let piece = try await reader.next(limit: Limits.pieceByteCount) {
                byteCount += piece.count
                inspector.append(joiner.append(piece))
            }
            inspector.append(joiner.finish())
            segmentCount += 1
            guard let inspection = try? inspector.finish() else { return nil }
            // The joiner decides, as it does while the file is written.
            let found = OpeningTracks(inspection.tracks, byteCount: byteCount) { joiner.hasUnits(of: [$0]) }
            tracks = found
            if found.absent.isEmpty { break }
        }
        guard let tracks, !tracks.found.isEmpty else { return nil }
        return tracks.isAsAnnounced && segmentCount == 1 ? nil : tracks
    }
}
