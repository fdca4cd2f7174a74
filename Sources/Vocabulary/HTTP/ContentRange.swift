/// The value of Content-Range (RFC 9110 §14.4).
package enum ContentRange: Equatable, Sendable {
    /// These bytes of a representation; `total` is nil when its length is unknown (`*`).
    case part(offset: UInt64, length: UInt64, total: UInt64?)
    /// The requested bytes do not exist; `total` is the length.
    case unsatisfied(total: UInt64)

    package var fieldValue: String {
        switch self {
        case .part(let offset, let length, let total):
            "bytes \(offset)-\(offset &+ length &- 1)/\(total.map(String.init) ?? "*")"
        case .unsatisfied(let total):
            "bytes */\(total)"
        }
    }

    /// Reads a value; nil when it is malformed, inconsistent or in another unit.
    package init?(reading value: String) {
        let parts = FieldList.trimmed(value[...]).split(
            separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, lowercasedASCII(parts[0]) == "bytes" else { return nil }
        let sides = FieldList.trimmed(parts[1]).split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let total = saturatingDecimal(sides[1].utf8)
        guard total != nil || sides[1] == "*" else { return nil }
        if sides[0] == "*" {
            guard let total else { return nil }
            self = .unsatisfied(total: total)
        } else {
            guard let part = Self.part(sides[0], total) else { return nil }
            self = part
        }
    }

    private static func part(_ text: Substring, _ total: UInt64?) -> ContentRange? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = saturatingDecimal(ends[0].utf8),
            let last = saturatingDecimal(ends[1].utf8),
            first <= last, last < total ?? .max
        else { return nil }
        return .part(offset: first, length: last - first + 1, total: total)
    }
}
