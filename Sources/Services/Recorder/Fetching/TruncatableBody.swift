import HTTPClient
import Timeline

/// A body that may end too early: the received bytes stay usable, and `cut` is the reason.
///
/// Used by one task.
final class TruncatableBody: SegmentBody {
    private let body: any SegmentBody
    private(set) var cut: FetchFailure?

    init(_ body: any SegmentBody) {
        self.body = body
    }

    func next() async throws -> [UInt8]? {
        do {
            return try await body.next()
        } catch let error as TransferError where error.truncatesBody {
            cut = FetchFailure(error)
        } catch let error as FetchFailure where error.reason == .segmentCorrupt {
            cut = error
        }
        cut?.isCut = true
        return nil
    }
}

extension TransferError {
    /// Whether the answer began well and ended too early.
    fileprivate var truncatesBody: Bool {
        switch self {
        case .truncated, .timedOut(.body): true
        default: false
        }
    }
}
