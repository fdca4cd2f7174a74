/// The position of a channel in the endless repetition of a minute.
struct ReplayPosition: Sendable {
    let minute: EncodedMinute
    /// If false, every repetition begins with a DISCONTINUITY and the encoded timestamps.
    var isContinuous = true
    var hasSubtitles = false
    /// The wall-clock time of this numbering's first sample.
    private(set) var anchor: Double
    private(set) var index = 0

    init(minute: EncodedMinute, anchor: Double) {
        self.minute = minute
        self.anchor = anchor
    }

    /// When the next segment ends, which is when an encoder would list it.
    var nextDue: Double { anchor + Double(index + 1) * minute.segmentSeconds }

    /// The next segment of every rendition, if it is due.
    mutating func due(at now: Double) -> [SourceSegment] {
        guard nextDue <= now else { return [] }
        defer { index += 1 }
        var segments = minute.tracks.map(segment)
        if hasSubtitles, let video = segments.first {
            segments.append(Subtitles.segment(beside: video, rendition: "s0"))
        }
        return segments
    }

    /// Restarts the timestamps without losing wall-clock time.
    mutating func restart() {
        anchor += Double(index) * minute.segmentSeconds
        index = 0
    }

    /// Leaves out segments that would be due by now.
    mutating func skip(to now: Double) {
        while nextDue <= now { index += 1 }
    }

    private func segment(_ track: EncodedMinute.Track) -> SourceSegment {
        let (loop, place) = index.quotientAndRemainder(dividingBy: minute.segmentCount)
        let encoded = track.segments[place]
        return SourceSegment(
            rendition: track.id, durationSeconds: encoded.durationSeconds,
            startSeconds: anchor + Double(loop) * minute.seconds + encoded.startSeconds,
            media: minute.media(track, index: index, isContinuous: isContinuous),
            isDiscontinuity: !isContinuous && loop > 0 && place == 0)
    }
}
