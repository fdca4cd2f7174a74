import Timeline

@testable import Recorder

/// What a test expects a try to lead to; nil when it led to something else.
extension SegmentFetcher.Outcome {
    var stored: SegmentFetcher.Stored? {
        if case .stored(let stored) = self { stored } else { nil }
    }

    var pending: KeyPendingSegment? {
        if case .keyPending(let pending) = self { pending } else { nil }
    }

    var failure: FetchFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }
}
