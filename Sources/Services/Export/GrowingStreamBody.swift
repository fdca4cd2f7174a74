import HTTP
import SegmentStore

/// A transport stream that goes on: its parts are made one after the other while it is read.
actor GrowingStreamBody: HTTPBodySource {
    private let store: any SegmentStore
    private let following: @Sendable () async throws -> TransportStreamPlan?
    private var current: TransportStreamBody

    init(
        first: TransportStreamPlan, store: any SegmentStore,
        following: @escaping @Sendable () async throws -> TransportStreamPlan?,
    ) {
        self.store = store
        self.following = following
        current = TransportStreamBody(plan: first, store: store, offset: 0, byteCount: first.byteCount)
    }

    func next(limit: Int) async throws -> [UInt8]? {
        while true {
            if let piece = try await current.next(limit: limit) { return piece }
            guard let plan = try await following() else { return nil }
            current = TransportStreamBody(plan: plan, store: store, offset: 0, byteCount: plan.byteCount)
        }
    }
}
