import HTTPClient
import SegmentStore
import Timeline

/// Why a segment, key or initialization section could not be had.
struct FetchFailure: Error, Sendable, CustomStringConvertible {
    var reason: GapReason
    var description: String
    /// Whether another try may succeed.
    var isTransient: Bool

    init(_ reason: GapReason, _ description: String, isTransient: Bool = true) {
        self.reason = reason
        self.description = description
        self.isTransient = isTransient
    }

    init(_ error: TransferError) {
        self.init(.segmentMissing, "\(error)", isTransient: error.isTransient)
    }

    init(_ error: StoreError) {
        if case .diskFull = error {
            self.init(.diskFull, "\(error)")
        } else {
            self.init(.segmentMissing, "\(error)")
        }
    }

    init(status: Int) {
        self.init(.segmentMissing, "the source answered \(status)")
    }
}
