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
        switch error {
        case .diskFull: self.init(.diskFull, "\(error)")
        case .notFound: self.init(.segmentMissing, "\(error)", isTransient: false)
        default: self.init(.segmentMissing, "\(error)")
        }
    }

    init(status: Int) {
        self.init(.segmentMissing, "the source answered \(status)")
    }
}
