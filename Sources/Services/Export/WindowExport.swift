package import HTTP
package import SegmentStore

/// Makes one file of a window from the archive, while it is being sent.
package struct WindowExport: Sendable {
    private let store: any SegmentStore

    package init(store: any SegmentStore) {
        self.store = store
    }

    /// A range of a transport stream, for one reader.
    ///
    /// The range must lie within the plan's `byteCount`. Reading throws when the archive does not hold what
    /// the plan needs: the connection is then cut, so that the client sees that the file is not complete.
    package func body(
        of plan: TransportStreamPlan, offset: UInt64, byteCount: UInt64,
    ) -> any HTTPBodySource {
        TransportStreamBody(plan: plan, store: store, offset: offset, byteCount: byteCount)
    }

    /// A transport stream that begins with a plan's and goes on with those that `following` returns, until
    /// that is nil; for one reader.
    ///
    /// `following` is called when everything before has been read, and may wait.
    package func body(
        first: TransportStreamPlan, following: @escaping @Sendable () async throws -> TransportStreamPlan?,
    ) -> any HTTPBodySource {
        GrowingStreamBody(first: first, store: store, following: following)
    }
}
