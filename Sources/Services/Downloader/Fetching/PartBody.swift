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

    /// The bytes still to ask for; nil where they could belong to another version.
    var rest: Range<UInt64>? {
        guard let total, validator != nil, byteCount > 0, byteCount < total else { return nil }
        return offset + byteCount..<offset + total
    }
}

/// The answer to a request for a body or its rest: how it fits what is there already.
struct BodyOpening: Sendable, Equatable {
    /// Whether what came before is used.
    var continues: Bool
    /// What is wanted of the answer.
    var wanted: WantedBytes

    /// Judges the head of an answer; `listed` is the byte range of the playlist, `rest` the range that was
    /// asked for to continue a body.
    static func judging(
        _ head: TransferHead, listed: HLS.ByteRange?, rest: Range<UInt64>?,
    ) throws(TryFailure) -> BodyOpening {
        // What came may not be its beginning: the body begins again.
        if rest != nil, head.status == .rangeNotSatisfiable { throw .damaged("the server has no rest of it") }
        if let failure = TryFailure(head) { throw failure }
        if head.status == .ok {
            let wanted = WantedBytes(skipping: listed?.offset ?? 0, count: listed?.length)
            return BodyOpening(continues: false, wanted: wanted)
        }
        let asked = rest ?? listed.map { $0.offset..<$0.end }
        guard let asked, let field = head.headers["Content-Range"],
            case .part(let offset, let length, _)? = ContentRange(reading: field),
            offset == asked.lowerBound, length <= UInt64(asked.count)
        else { throw .damaged("the server answered another byte range") }
        return BodyOpening(continues: rest != nil, wanted: WantedBytes(count: UInt64(asked.count)))
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

    var contentLength: UInt64? { headers["Content-Length"].flatMap { UInt64($0) } }
}
