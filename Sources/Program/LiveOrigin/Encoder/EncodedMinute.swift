import HTTP

/// A stretch of every rendition that can be repeated seamlessly.
struct EncodedMinute: Sendable {
    struct Track: Sendable {
        var id: String
        var initialization: [UInt8]?
        var segments: [Segment]
        /// What one repetition adds to timestamps, counters and fragment numbers.
        var shift: SourceMedia.Shift
        var form: SourceMedia.Form
    }

    struct Segment: Sendable {
        var durationSeconds: Double
        /// From the minute's start.
        var startSeconds: Double
        var bytes: SharedBytes
    }

    var tracks: [Track]
    var segmentCount: Int
    var segmentSeconds: Double

    var seconds: Double { Double(segmentCount) * segmentSeconds }

    /// Peak and mean of each rendition, including the stamp.
    var bandwidths: [String: ChannelOptions.Bandwidth] {
        Dictionary(
            uniqueKeysWithValues: tracks.map { track in
                let bits = track.segments.map { Double($0.bytes.bytes.count + 256) * 8 }
                let peaks = zip(bits, track.segments).map { $0 / max(0.001, $1.durationSeconds) }
                let average = bits.reduce(0, +) / seconds
                return (track.id, .init(peak: Int(peaks.max() ?? 0) + 1, average: Int(average) + 1))
            })
    }

    /// The same with one more rendition, which has the audio of the first language.
    func withSecondLanguage(_ layout: inout Layout) -> EncodedMinute {
        guard var track = tracks.first(where: { $0.id == "a0" }),
            let index = layout.renditions.firstIndex(where: { $0.id == "a0" })
        else { return self }
        var minute = self
        track.id = "a1"
        minute.tracks.append(track)
        var rendition = layout.renditions[index]
        rendition.id = "a1"
        layout.renditions.insert(rendition, at: index + 1)
        return minute
    }

    /// A segment of the endless stream, without its wall-clock time.
    func media(_ track: Track, index: Int, isContinuous: Bool) -> SourceMedia {
        let bytes = track.segments[index % segmentCount].bytes
        let loop = index / segmentCount
        guard isContinuous else { return SourceMedia(form: track.form, encoded: bytes) }
        let turns = UInt8(truncatingIfNeeded: loop)
        let shift = SourceMedia.Shift(
            ticks: track.shift.ticks &* UInt64(loop),
            counters: track.shift.counters.mapValues { $0 &* turns },
            fragments: track.shift.fragments &* UInt32(truncatingIfNeeded: loop))
        return SourceMedia(form: track.form, encoded: bytes, shift: shift)
    }
}
