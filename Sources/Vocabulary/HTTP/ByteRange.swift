/// The part of a representation that a request wants.
package enum ByteRange: Equatable, Sendable {
    /// Answer 200 with everything.
    case whole
    /// Answer 206; `length` is at least 1 and the part lies inside the representation.
    case part(offset: UInt64, length: UInt64)
    /// Answer 416 with `Content-Range: bytes */length`.
    case unsatisfiable

    /// Reads a Range value for a representation of this length in bytes.
    ///
    /// A malformed range, another unit and several ranges count as no range, which RFC 9110 §14.2 allows.
    package static func reading(_ value: String?, length: UInt64) -> ByteRange {
        guard let value, let specification = specification(in: value) else { return .whole }
        switch specification {
        case .suffix(let count):
            return suffix(count, length)
        case .from(let first, let last):
            guard first < length else { return .unsatisfiable }
            let end = min(last ?? .max, length - 1)
            return .part(offset: first, length: end - first + 1)
        }
    }

    /// The range of a request: only GET has one, and If-Range must name the current version (RFC 9110 §14.2).
    package static func requested(
        method: HTTPMethod, headers: HTTPHeaders, current: Validators, length: UInt64,
    ) -> ByteRange {
        let values = headers.values(of: "Range")
        guard method == .get, values.count == 1,
            Preconditions.rangeApplies(headers: headers, current: current)
        else { return .whole }
        return reading(values.first, length: length)
    }

    private enum Specification {
        case from(UInt64, UInt64?)
        case suffix(UInt64)
    }

    /// The last `count` bytes.
    ///
    /// For an empty representation this is the whole, because Content-Range cannot express it.
    private static func suffix(_ count: UInt64, _ length: UInt64) -> ByteRange {
        if count == 0 { return .unsatisfiable }
        if length == 0 { return .whole }
        let taken = min(count, length)
        return .part(offset: length - taken, length: taken)
    }

    /// A single range of bytes (RFC 9110 §14.1.2); nil for anything else.
    private static func specification(in value: String) -> Specification? {
        let bytes = FieldList.trimmed(value[...]).utf8
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")),
            bytes[..<equals].map(\.lowercased).elementsEqual("bytes".utf8)
        else { return nil }
        let range = bytes[bytes.index(after: equals)...]
        guard let dash = range.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (left, right) = (range[..<dash], range[range.index(after: dash)...])
        if left.isEmpty { return saturatingDecimal(right).map(Specification.suffix) }
        guard let first = saturatingDecimal(left) else { return nil }
        if right.isEmpty { return .from(first, nil) }
        guard let last = saturatingDecimal(right), first <= last else { return nil }
        return .from(first, last)
    }
}
