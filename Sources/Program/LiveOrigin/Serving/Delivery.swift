/// How a segment's body leaves.
struct Delivery: Sendable, Equatable {
    var truncation: RequestFaults.Truncating?
    var bytesPerSecond = Int.max
}

extension ChannelState {
    /// What a request for a segment gets.
    enum SegmentDecision: Sendable {
        case refuse(status: Int)
        case initialization([UInt8])
        case segment(PublishedSegment, Delivery)
    }

    /// Counts the faults of this request down.
    mutating func decide(rendition: String, uri: String, now: Double) -> SegmentDecision {
        if let bytes = initializations[uri] { return .initialization(bytes) }
        if let status = faults.takeFailure(of: rendition) { return .refuse(status: status) }
        guard let segment = renditions[rendition]?.available[uri] else { return .refuse(status: 404) }
        let rate = faults.slowUntil > now ? faults.slowBytesPerSecond : .max
        let truncation = faults.takeTruncation(of: rendition)
        return .segment(segment, Delivery(truncation: truncation, bytesPerSecond: rate))
    }
}
