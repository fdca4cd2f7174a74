import Foundation
import HTTP

/// Builds a minute from the files that ffmpeg wrote into a folder.
struct MinuteReader {
    var folder: String
    var layout: Layout
    var segmentCount: Int
    var segmentSeconds: Double

    /// The first encoded segment is left out: it has the encoders' priming and would not repeat seamlessly.
    func read() throws -> EncodedMinute {
        EncodedMinute(
            tracks: try layout.encoded.map(track), segmentCount: segmentCount, segmentSeconds: segmentSeconds)
    }

    private func track(_ rendition: Rendition) throws -> EncodedMinute.Track {
        let path = "\(folder)/\(rendition.id)"
        let playlist = EncoderPlaylist(String(decoding: try bytes("\(path)/index.m3u8"), as: UTF8.self))
        let entries = playlist.entries.dropFirst().prefix(segmentCount)
        guard entries.count == segmentCount else {
            throw OriginError.encoderMadeTooLittle(
                rendition: rendition.id, segments: playlist.entries.count, wanted: segmentCount + 1)
        }
        var start = 0.0
        let segments = try entries.map { entry in
            defer { start += entry.durationSeconds }
            return EncodedMinute.Segment(
                durationSeconds: entry.durationSeconds, startSeconds: start,
                bytes: SharedBytes(
                    padded(try bytes("\(path)/\(entry.file)"), rendition, entry.durationSeconds)))
        }
        let initialization = try playlist.initialization.map { try bytes("\(path)/\($0)") }
        return EncodedMinute.Track(
            id: rendition.id, initialization: initialization, segments: segments, shift: shift(segments),
            form: initialization.map { .movieFragments(timescales: MovieFragments.timescales(of: $0)) }
                ?? .transportStream)
    }

    private func shift(_ segments: [EncodedMinute.Segment]) -> SourceMedia.Shift {
        let ticks = UInt64((Double(segmentCount) * segmentSeconds * 90_000).rounded())
        var shift = SourceMedia.Shift(ticks: ticks)
        for segment in segments {
            guard layout.container == .ts else {
                shift.fragments += UInt32(clamping: MovieFragments.fragmentCount(of: segment.bytes.bytes))
                continue
            }
            for (pid, count) in TransportStream.payloadPacketCounts(of: segment.bytes.bytes) {
                shift.counters[pid, default: 0] &+= UInt8(truncatingIfNeeded: count)
            }
        }
        return shift
    }

    /// Fills a video segment up to its bit rate, as a multiplexer of constant rate does.
    private func padded(_ bytes: [UInt8], _ rendition: Rendition, _ seconds: Double) -> [UInt8] {
        let missing = Int(Double(rendition.bitsPerSecond) * seconds / 8) - bytes.count
        guard rendition.isVideo, missing > TransportStream.packetLength else { return bytes }
        guard layout.container == .ts else { return bytes + MovieBox.free(contentLength: missing - 8) }
        let packet = TransportStream.nullPacket("")
        let count = missing / TransportStream.packetLength
        return bytes + Array(repeating: packet, count: count).flatMap(\.self)
    }

    private func bytes(_ path: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw OriginError.cannotRead(path: path)
        }
        return Array(data)
    }
}
