/// The times of one track, summed over the fragments of a segment.
struct FragmentTimes {
    let trackID: UInt32
    private var firstDecodeTime: UInt64?
    private var duration: UInt64? = 0
    private var lastSampleDuration: UInt32?
    /// Whether the first sample is a key frame; nil when its flags are not known.
    private(set) var startsWithKeyFrame: Bool?
    private var hasSamples = false

    init(trackID: UInt32) {
        self.trackID = trackID
    }

    mutating func add(_ fragment: TrackFragment) {
        if firstDecodeTime == nil { firstDecodeTime = fragment.decodeTime }
        if !hasSamples && fragment.sampleCount > 0 {
            hasSamples = true
            // Bit 16 is sample_is_non_sync_sample (ISO 14496-12 §8.8.3.1).
            startsWithKeyFrame = fragment.firstSampleFlags.map { $0 & 0x1_0000 == 0 }
        }
        let sum = duration.flatMap { sum in fragment.duration.map { sum.addingReportingOverflow($0) } }
        duration = sum.flatMap { $0.overflow ? nil : $0.partialValue }
        if fragment.sampleCount > 0 { lastSampleDuration = fragment.lastSampleDuration }
    }

    /// Sets the times of a track in its own timescale.
    func describe(_ track: inout Track, timescale: UInt32) {
        guard let first = firstDecodeTime else { return }
        track.firstTimestamp = MediaTimestamp(track: first, timescale: timescale)
        guard let duration, duration > 0 else { return }
        track.durationMicroseconds = MediaTimestamp.microseconds(duration, timescale)
        let beforeLast = duration - min(duration, UInt64(lastSampleDuration ?? 0))
        let (last, overflowed) = first.addingReportingOverflow(beforeLast)
        if !overflowed { track.lastTimestamp = MediaTimestamp(track: last, timescale: timescale) }
    }
}
