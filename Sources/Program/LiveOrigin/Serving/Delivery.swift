/// How a segment's body is sent.
struct Delivery: Sendable, Equatable {
    var truncation: RequestFaults.Truncating?
    var bytesPerSecond = Int.max
}

extension ChannelState {
    /// The answer to a request for a segment.
    enum SegmentDecision: Sendable {
        case refuse(status: Int)
        case initialization([UInt8])
        case segment(PublishedSegment, Delivery)
    }

    /// Counts the faults of this request down.
    mutating func decide(rendition: String, uri: String, now: Double) -> SegmentDecision {
        if let bytes = initializations[uri] { return .initialization(bytes) }
        if let status = faults.takeFailure(of: rendition) { return .refuse(status: status) }
        guard let segment = renditions[rendition]?.available[uri],
            !faults.isLate(uri, of: rendition, now: now)
        else { return .refuse(status: 404) }
        let rate = faults.slowUntil > now ? faults.slowBytesPerSecond : .max
        let truncation = faults.takeTruncation(of: rendition)
        return .segment(segment, Delivery(truncation: truncation, bytesPerSecond: rate))
    }
}
