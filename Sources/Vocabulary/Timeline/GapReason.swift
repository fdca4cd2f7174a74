/// Why part of a channel is missing; the set of reasons is fixed, and the catalogue stores the raw value.
package enum GapReason: Int16, Sendable, Codable, CaseIterable {
    case sourceUnreachable = 1
    case sourceStalled = 2
    case sourceEnded = 3
    case sourceJump = 4
    case sourceGap = 5
    case segmentMissing = 6
    case segmentCorrupt = 7
    case segmentExpired = 8
    case keyMissing = 9
    case trackMissing = 10
    case diskFull = 11
    case recorderDown = 12

    /// The name of the reason in API answers.
    package var word: String {
        switch self {
        case .sourceUnreachable: "source_unreachable"
        case .sourceStalled: "source_stalled"
        case .sourceEnded: "source_ended"
        case .sourceJump: "source_jump"
        case .sourceGap: "source_gap"
        case .segmentMissing: "segment_missing"
        case .segmentCorrupt: "segment_corrupt"
        case .segmentExpired: "segment_expired"
        case .keyMissing: "key_missing"
        case .trackMissing: "track_missing"
        case .diskFull: "disk_full"
        case .recorderDown: "recorder_down"
        }
    }
}
