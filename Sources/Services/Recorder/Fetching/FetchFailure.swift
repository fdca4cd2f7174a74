import HTTPClient
import MediaFormat
import SegmentStore
package import Timeline

/// Why a segment, key or initialization section could not be fetched.
package struct FetchFailure: Error, Sendable, CustomStringConvertible {
    var reason: GapReason
    package var description: String
    /// Whether another try may succeed.
    var isTransient: Bool
    /// The key is there but does not decrypt the segment; other segments with the same key may still decrypt.
    var failsToDecrypt = false

    /// The body began well and ended too early.
    var isCut = false

    /// Whether the request was not sent, because this node already ran too many transfers.
    var isOwnLimit = false

    package init(_ reason: GapReason, _ description: String, isTransient: Bool = true) {
        self.reason = reason
        self.description = description
        self.isTransient = isTransient
    }

    /// Bytes that were received of an incomplete segment; nil for any other failure.
    var damagedByteCount: Int64?

    /// The decrypted beginning is valid media, which a wrong key cannot produce.
    var provesKey = false

    /// The source has the segment, but no better bytes of it than those that are stored.
    var hasNoBetterBytes = false

    /// The bytes do not begin with the stored ones.
    var isOtherBeginning = false

    /// The source has no better bytes than those that are stored.
    package static var noBetterBytes: FetchFailure {
        var failure = FetchFailure(.segmentMissing, "the source has no better bytes of the segment")
        failure.hasNoBetterBytes = true
        return failure
    }

    /// The bytes do not start with the stored beginning: the URL may now lead to another segment.
    ///
    /// Another server of the source may also have answered, with different bytes of the same segment. The
    /// next attempt may reach the first server again.
    package static var otherBeginning: FetchFailure {
        var failure = FetchFailure(
            .segmentMissing, "the bytes differ from the stored beginning of the segment")
        failure.isOtherBeginning = true
        return failure
    }

    /// A segment is not whole; it may still be being written.
    init(damaged damage: Damage, byteCount: Int64) {
        self.init(.segmentCorrupt, "the segment is not whole: \(damage)")
        damagedByteCount = byteCount
    }

    /// All failures except faults of the request itself are retried while the source lists the segment.
    ///
    /// Another server with the same name may have a valid certificate, or no redirect loop.
    init(_ error: TransferError) {
        let isFinal =
            switch error {
            case .tooLarge, .badRequest, .schemeRefused, .cancelled, .closed: true
            default: false
            }
        self.init(
            error.isOwnLimit ? .segmentExpired : .segmentMissing, "\(error)", isTransient: !isFinal)
        isOwnLimit = error.isOwnLimit
    }

    init(_ error: StoreError) {
        switch error {
        case .diskFull: self.init(.diskFull, "\(error)")
        case .notFound: self.init(.segmentMissing, "\(error)", isTransient: false)
        default: self.init(.segmentMissing, "\(error)")
        }
    }

    package init(status: Int) {
        self.init(.segmentMissing, "the source answered \(status)")
        isDenied = [401, 403, 410].contains(status)
    }

    /// The source refuses the URL: a token in it may have expired.
    var isDenied = false

    /// The same failure, with `object` (the key or initialization section) named as the cause.
    func attributed(to reason: GapReason, object: String) -> FetchFailure {
        var failure = FetchFailure(reason, "\(object): \(description)")
        failure.isDenied = isDenied
        return failure
    }

    /// The key does not decrypt the bytes: either it is the wrong key, or the bytes are damaged.
    package static func undecryptable(_ cause: String, byteCount: Int64? = nil) -> FetchFailure {
        var failure = FetchFailure(.keyMissing, "the key does not decrypt the segment: \(cause)")
        (failure.failsToDecrypt, failure.damagedByteCount) = (true, byteCount)
        return failure
    }

    /// This failure with the reason `diskFull`, because the disk was full while the source still had the
    /// segment.
    ///
    /// Only a missing segment gets this reason.
    var asDiskFull: FetchFailure {
        guard reason == .segmentMissing else { return self }
        return FetchFailure(
            .diskFull, "the disk was full; a later try failed: \(description)", isTransient: isTransient)
    }

    /// The failure as `segmentCorrupt`: other segments show that the key is right, so the bytes are damaged.
    var asSegmentCorrupt: FetchFailure {
        var failure = FetchFailure(.segmentCorrupt, "the segment is not whole: \(description)")
        (failure.damagedByteCount, failure.provesKey) = (damagedByteCount, provesKey)
        return failure
    }
}

extension PlacedSegment {
    /// The loss that the catalogue stores for a segment that was not fetched.
    func loss(by failure: FetchFailure) -> Loss {
        Loss(window: window, reason: failure.reason, rendition: identity.rendition, note: "\(failure)")
    }
}
