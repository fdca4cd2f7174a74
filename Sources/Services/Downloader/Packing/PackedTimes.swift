/// Where the media of the leading rendition is in the single file that ffmpeg makes.
///
/// ffmpeg keeps the times of the media, from the earliest one of all tracks on. It closes steps back, and
/// gaps that are longer than ten seconds.
struct PackedTimes: Sendable {
    /// The longest gap that ffmpeg keeps (its option dts_delta_threshold), milliseconds.
    private static let longestGap: Int64 = 10_000

    private struct Place: Sendable {
        /// Milliseconds from the start of the presentation at its source.
        var position: Int64
        var duration: Int64
        var anchor: SubtitleTrack.Anchor
    }

    /// How much earlier another track begins than the leading one, milliseconds.
    private let startDelay: Int64
    /// The instant of the presentation at its source at which the leading rendition begins, milliseconds.
    private let start: Int64
    private var places: [Place] = []

    init(startDelay: Int64, start: Int64) {
        (self.startDelay, self.start) = (startDelay, start)
    }

    /// Where the start of the presentation at its source would be in the file, milliseconds.
    var origin: Int64 { startDelay - start }

    /// Adds the next segment: its first time, 90 kHz, and what its playlist says of it, milliseconds.
    mutating func append(mpegTicks: Int64, position: Int64, duration: Int64) {
        var time = startDelay
        if let last = places.last {
            let step = Self.difference(mpegTicks, last.anchor.mpegTicks) / 90
            let isKept = step >= 0 && step - last.duration <= Self.longestGap
            time = last.anchor.position + (isKept ? step : last.duration)
        }
        let anchor = SubtitleTrack.Anchor(mpegTicks: mpegTicks, position: time)
        places.append(Place(position: position, duration: duration, anchor: anchor))
    }

    /// The segment that plays at an instant of the presentation, milliseconds, or else the first one.
    func anchor(at position: Int64) -> SubtitleTrack.Anchor? {
        (places.last { $0.position <= position } ?? places.first)?.anchor
    }

    /// The signed difference of two MPEG times in 90 kHz ticks; the times have 33 bits and wrap.
    static func difference(_ ticks: Int64, _ earlier: Int64) -> Int64 { ((ticks - earlier) << 31) >> 31 }
}
