import HTTP
import MediaFormat
import SegmentStore

/// The next step of an endless stream.
package enum FollowingPart: Sendable {
    case part(TransportStreamPlan)
    /// Nothing has come yet.
    case nothingYet
    /// Nothing has come for so long that players, and proxies between, could take the stream for dead.
    case quiet
    case end
}

/// An endless transport stream, whose parts are made one after the other while it is read.
actor GrowingStreamBody: HTTPBodySource {
    private let store: any SegmentStore
    private let following: @Sendable () async throws -> FollowingPart
    private var current: TransportStreamBody
    /// What is left of a null packet.
    private var packet: ArraySlice<UInt8> = []

    init(
        first: TransportStreamPlan, store: any SegmentStore,
        following: @escaping @Sendable () async throws -> FollowingPart,
    ) {
        self.store = store
        self.following = following
        current = TransportStreamBody(plan: first, store: store, offset: 0, byteCount: first.byteCount)
    }

    func next(limit: Int) async throws -> [UInt8]? {
        while true {
            if let piece = try await current.next(limit: limit) { return piece }
            if !packet.isEmpty {
                defer { packet = packet.dropFirst(limit) }
                return Array(packet.prefix(limit))
            }
            switch try await following() {
            case .part(let plan):
                current = TransportStreamBody(plan: plan, store: store, offset: 0, byteCount: plan.byteCount)
            case .nothingYet: return []
            case .quiet: packet = TransportPacket.null[...]
            case .end: return nil
            }
        }
    }
}
