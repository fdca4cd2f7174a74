import SegmentStore
import Timeline

extension StoredSegment {
    /// What the journal and the catalogue have of it; nil where its bytes are no segment's.
    func fact(
        of segment: PlacedSegment, _ channel: ChannelID, _ format: SegmentFormat, date: Instant?,
        arrived: Instant, fence: Int64,
    ) -> SegmentFact? {
        guard case .segment(_, _, let name) = object.key else { return nil }
        let measured = measuredDuration.flatMap { $0 > 0 ? $0 : nil }
        var flags = flags
        if let measured, (measured - segment.duration).magnitude > Limits.mediaTolerance.magnitude {
            flags.insert(.measuredDuration)
        }
        if keyFrames != nil { flags.insert(.hasKeyFrames) }
        return SegmentFact(
            channel: channel, identity: segment.identity, start: segment.start, duration: segment.duration,
            revision: name.revision, format: format, flags: flags, storedBytes: object.byteCount,
            plainBytes: plainBytes, iv: iv, programDateTime: date, arrived: arrived,
            firstTimestamp: firstTimestamp, measuredDuration: measured, digest: object.digest, fence: fence,
            boundary: segment.boundary, keyFrames: keyFrames)
    }
}
