import Timeline

@testable import Recorder

/// What a test expects a try to lead to; nil when it led to something else.
extension Result<SegmentFetcher.Fetched, FetchFailure> {
    var stored: StoredSegment? {
        if case .success(.stored(let stored)) = self { stored } else { nil }
    }

    var pending: KeyPendingSegment? {
        if case .success(.keyPending(let pending, _)) = self { pending } else { nil }
    }

    /// Whether it waits for a key whose URL the source refuses.
    var isKeyDenied: Bool {
        if case .success(.keyPending(_, let isDenied)) = self { isDenied } else { false }
    }

    var failure: FetchFailure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

extension SegmentFetcher {
    /// One try, and its outcome as a value.
    func outcome(of request: SegmentRequest) async -> Result<Fetched, FetchFailure> {
        do throws(FetchFailure) {
            return .success(try await fetch(request))
        } catch {
            return .failure(error)
        }
    }
}

/// What tests ask of a listed segment in short.
extension ListedSegment {
    var start: Instant { placed.start }
    var end: Instant { placed.end }
    var duration: Int64 { placed.duration }
    var boundary: DiscontinuityCause? { placed.boundary }
}
