import HLS
import HTTP
import HTTPClient

/// Where a part is, as its playlist says now.
struct PartAddress: Sendable, Equatable {
    var url: HTTPURL
    var range: HLS.ByteRange?
}

/// What came of a body that was cut short, and what its rest may be asked for by.
struct ReceivedBody: Sendable, Equatable {
    /// Bytes of the resource in front of the body.
    var offset: UInt64 = 0
    /// Bytes that came.
    var byteCount: UInt64 = 0
    /// Bytes of the whole body; nil when the origin did not say.
    var total: UInt64?
    /// The strong entity tag or the date of the version.
    var validator: String?

    /// Whether everything came that the origin has said.
    var isWhole: Bool { byteCount == total }

    /// Whether there are bytes that can be asked for by the version.
    var hasRest: Bool { rest(in: nil) != nil }

    /// What is still to ask for; nil where it could belong to another version.
    ///
    /// `listed` is the byte range of the playlist: without one the body is the whole resource.
    func rest(in listed: HLS.ByteRange?) -> BodyRest? {
        guard let total, let validator, byteCount > 0, byteCount < total else { return nil }
        return BodyRest(
            bytes: offset + byteCount..<offset + total, validator: validator,
            total: listed == nil ? total : nil)
    }
}

/// The rest of a body that has begun, and the version of which it has to be.
struct BodyRest: Sendable, Equatable {
    /// The bytes of the resource to ask for.
    var bytes: Range<UInt64>
    /// The strong entity tag or the date of the version.
    var validator: String
    /// Bytes of the whole resource; nil where that is unknown.
    var total: UInt64?

    /// Whether an answer with status 206 has these bytes, as far as it tells.
    ///
    /// Some sources ignore If-Range. What the answer leaves out tells nothing: it need not repeat the date
    /// (RFC 9110 §15.3.7).
    fileprivate func isAnswered(by head: TransferHead) -> Bool {
        !isContradicted(by: head) && head.hasPart(of: bytes, total: total)
    }

    /// Whether an answer says that it is of another version.
    private func isContradicted(by head: TransferHead) -> Bool {
        guard let tag = EntityTag(reading: validator) else {
            return head.headers["Last-Modified"].map { $0 != validator } ?? false
        }
        return head.headers["ETag"].map { EntityTag(reading: $0) != tag } ?? false
    }
}

/// The answer to a request for a body or its rest: how it fits what is there already.
struct BodyOpening: Sendable, Equatable {
    enum Fit: Sendable {
        /// It has the body from its first byte on, which replaces what came before.
        case whole
        /// It has what follows on what came before.
        case rest
        /// It is of no use, and what came before may not be its beginning: the body has to be asked for
        /// again, from its first byte on.
        case other
    }

    var fit: Fit
    /// What is wanted of the answer.
    var wanted = WantedBytes()

    /// Judges the head of an answer; `listed` is the byte range of the playlist, `rest` what was asked for to
    /// continue a body.
    static func judging(
        _ head: TransferHead, listed: HLS.ByteRange?, rest: BodyRest?,
    ) throws(TryFailure) -> BodyOpening {
        if rest != nil, head.status == .rangeNotSatisfiable { return BodyOpening(fit: .other) }
        if let failure = TryFailure(head) { throw failure }
        if head.status == .ok {
            let wanted = WantedBytes(skipping: listed?.offset ?? 0, count: listed?.length)
            return BodyOpening(fit: .whole, wanted: wanted)
        }
        if let rest {
            guard rest.isAnswered(by: head) else { return BodyOpening(fit: .other) }
            return BodyOpening(fit: .rest, wanted: WantedBytes(count: UInt64(rest.bytes.count)))
        }
        guard let listed, head.hasPart(of: listed.offset..<listed.end, total: nil) else {
            throw .damaged("the server answered another byte range")
        }
        return BodyOpening(fit: .whole, wanted: WantedBytes(count: listed.length))
    }
}

extension TransferHead {
    /// What tells whether a later answer has the same bytes: a strong entity tag, else the date (RFC 9110
    /// §13.1.5); nil also for an encoded body, whose parts do not fit together.
    var rangeValidator: String? {
        guard headers["Content-Encoding"] == nil else { return nil }
        if let tag = headers["ETag"].flatMap({ EntityTag(reading: $0) }), !tag.isWeak {
            return tag.fieldValue
        }
        return headers["Last-Modified"]
    }

    /// Whether an answer with a part has the beginning of a range, and no more than it.
    ///
    /// `total` is the length of the whole resource, nil where that is unknown.
    fileprivate func hasPart(of range: Range<UInt64>, total: UInt64?) -> Bool {
        guard let field = headers["Content-Range"],
            case .part(let offset, let length, let named)? = ContentRange(reading: field),
            offset == range.lowerBound, length <= UInt64(range.count)
        else { return false }
        return total == nil || named == nil || total == named
    }

    var contentLength: UInt64? { headers["Content-Length"].flatMap { UInt64($0) } }
}
