import HLS
import HTTP
import HTTPClient

/// Where a part is, as its playlist says now.
struct PartAddress: Sendable, Equatable {
    var url: HTTPURL
    var range: HLS.ByteRange?
    /// The number of the playlist reading that gave this address.
    var readingNumber = 0
}

/// The received part of a body that was cut short, and the validator to request its rest.
struct ReceivedBody: Sendable, Equatable {
    /// Bytes of the resource in front of the body.
    var offset: UInt64 = 0
    /// Bytes that were received.
    var byteCount: UInt64 = 0
    /// Bytes of the whole body; nil when the origin did not say.
    var total: UInt64?
    /// The strong entity tag or the date of the version.
    var validator: String?

    /// Whether all bytes that the origin announced were received.
    var isWhole: Bool { byteCount == total }

    /// Whether the rest can be requested from the same version.
    var hasRest: Bool { rest(in: nil) != nil }

    /// The rest to request; nil if it is empty, or if the total or the validator is unknown.
    ///
    /// Nil also if no byte came. `listed` is the byte range of the playlist, nil for the whole resource.
    func rest(in listed: HLS.ByteRange?) -> BodyRest? {
        guard let total, let validator, byteCount > 0, byteCount < total else { return nil }
        return BodyRest(
            bytes: offset + byteCount..<offset + total, validator: validator,
            total: listed == nil ? total : nil)
    }
}

/// The missing rest of a body, and the version that it must belong to.
struct BodyRest: Sendable, Equatable {
    /// The bytes of the resource to ask for.
    var bytes: Range<UInt64>
    /// The strong entity tag or the date of the version.
    var validator: String
    /// Bytes of the whole resource; nil where that is unknown.
    var total: UInt64?

    /// Whether a 206 response has these bytes, as far as its header fields say.
    ///
    /// The validator is checked because some sources ignore If-Range. A missing field is no contradiction:
    /// the response need not repeat the date (RFC 9110 §15.3.7).
    fileprivate func isAnswered(by head: TransferHead) -> Bool {
        !isContradicted(by: head) && head.hasPart(of: bytes, total: total)
    }

    /// Whether an answer says that it is of another version, or compressed.
    private func isContradicted(by head: TransferHead) -> Bool {
        if head.headers["Content-Encoding"] != nil { return true }
        guard let tag = EntityTag(reading: validator) else {
            return head.headers["Last-Modified"].map { $0 != validator } ?? false
        }
        return head.headers["ETag"].map { EntityTag(reading: $0) != tag } ?? false
    }
}

/// The answer to a request for a body or its rest, and how it fits the bytes that were received before.
struct BodyResponse: Sendable, Equatable {
    enum Fit: Sendable {
        /// It has the body from its first byte on, which replaces what came before.
        case whole
        /// It has what follows on what came before.
        case rest
        /// Unusable, and the received bytes may be of another version.
        ///
        /// The body has to be requested again from its first byte.
        case other
    }

    var fit: Fit
    /// What is wanted of the answer.
    var wanted = WantedBytes()

    /// Judges the head of an answer; `listed` is the byte range of the playlist, `rest` what was asked for to
    /// continue a body.
    static func evaluating(
        _ head: TransferHead, listed: HLS.ByteRange?, rest: BodyRest?,
    ) throws(AttemptFailure) -> BodyResponse {
        if rest != nil, head.status == .rangeNotSatisfiable { return BodyResponse(fit: .other) }
        if let failure = AttemptFailure(head) { throw failure }
        if head.status.hasWholeContent {
            let wanted = WantedBytes(skipping: listed?.offset ?? 0, count: listed?.length)
            return BodyResponse(fit: .whole, wanted: wanted)
        }
        if let rest {
            guard rest.isAnswered(by: head) else { return BodyResponse(fit: .other) }
            return BodyResponse(fit: .rest, wanted: WantedBytes(count: UInt64(rest.bytes.count)))
        }
        guard listed.map({ head.hasPart(of: $0.offset..<$0.end, total: nil) }) ?? head.hasWholeFile else {
            throw .damaged("the server answered another byte range")
        }
        return BodyResponse(fit: .whole, wanted: WantedBytes(count: listed?.length))
    }
}

extension TransferHead {
    /// The validator for If-Range: a strong entity tag, else Last-Modified (RFC 9110 §13.1.5).
    ///
    /// Nil if there is neither, and for a body with a Content-Encoding, whose parts cannot be joined.
    var rangeValidator: String? {
        guard headers["Content-Encoding"] == nil else { return nil }
        if let tag = headers["ETag"].flatMap({ EntityTag(reading: $0) }), !tag.isWeak {
            return tag.fieldValue
        }
        return headers["Last-Modified"]
    }

    /// Whether Content-Range starts at the first byte of a range and does not exceed the range.
    ///
    /// `total` is the length of the whole resource, nil where that is unknown.
    fileprivate func hasPart(of range: Range<UInt64>, total: UInt64?) -> Bool {
        guard let field = headers["Content-Range"],
            case .part(let offset, let length, let named)? = ContentRange(reading: field),
            offset == range.lowerBound, length <= UInt64(range.count)
        else { return false }
        return total == nil || named == nil || total == named
    }

    /// Whether Content-Range says that the part is the whole file.
    ///
    /// Some caches answer so although no range was asked for.
    fileprivate var hasWholeFile: Bool {
        guard let field = headers["Content-Range"],
            case .part(let offset, let length, let total)? = ContentRange(reading: field)
        else { return false }
        return offset == 0 && length == total
    }

    var contentLength: UInt64? { headers["Content-Length"].flatMap { UInt64($0) } }
}
