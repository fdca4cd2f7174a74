/// A validator of a representation (RFC 9110 §8.8.3).
package struct EntityTag: Hashable, Sendable {
    /// The text between the quotes.
    package let opaque: String
    package let isWeak: Bool

    /// A strong tag of our own; bytes that a tag must not contain are left out.
    package init(strong opaque: String) {
        let isValid = opaque.utf8.allSatisfy(Self.isTagByte)
        self.opaque =
            isValid ? opaque : String(decoding: opaque.utf8.filter(Self.isTagByte), as: UTF8.self)
        isWeak = false
    }

    /// Reads one tag, `"…"` or `W/"…"`; nil for anything else.
    package init?(reading text: some StringProtocol) {
        var bytes = Array(text.utf8)[...]
        isWeak = bytes.starts(with: "W/".utf8)
        if isWeak { bytes = bytes.dropFirst(2) }
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return nil
        }
        let content = bytes.dropFirst().dropLast()
        guard content.allSatisfy(Self.isTagByte) else { return nil }
        opaque = String(decoding: content, as: UTF8.self)
    }

    /// The tag as a field value.
    package var fieldValue: String {
        var text = isWeak ? "W/\"" : "\""
        text.reserveCapacity(opaque.utf8.count + 4)
        text += opaque
        text += "\""
        return text
    }

    /// Whether the bytes are the same: both tags strong and equal (RFC 9110 §8.8.3.2).
    func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Whether the meaning is the same: equal tags, weak or strong (RFC 9110 §8.8.3.2).
    func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    private static func isTagByte(_ byte: UInt8) -> Bool {
        byte == 0x21 || (byte >= 0x23 && byte != 0x7F)
    }
}

/// The value of If-Match or If-None-Match (RFC 9110 §13.1).
package enum EntityTagCondition: Equatable, Sendable {
    /// `*`: any existing representation.
    case any
    case tags([EntityTag])

    /// Reads all lines of one field; nil when there is none, one is malformed, or there are too many tags.
    package init?(reading values: [String]) {
        var tags: [EntityTag] = []
        for value in values {
            guard let more = Self.tags(in: value[...]) else { return nil }
            tags += more
        }
        if tags.isEmpty && values.count == 1 && FieldList.trimmed(values[0][...]) == "*" {
            self = .any
            return
        }
        guard !tags.isEmpty, tags.count <= Limits.entityTagCount else { return nil }
        self = .tags(tags)
    }

    /// The tags of a list.
    ///
    /// A backslash in a tag does not escape anything, so this is not a list of quoted strings.
    private static func tags(in value: Substring) -> [EntityTag]? {
        if FieldList.trimmed(value) == "*" { return [] }
        var tags: [EntityTag] = []
        var rest = FieldList.trimmed(value)
        while !rest.isEmpty {
            if rest.utf8.first != UInt8(ascii: ",") {
                guard let end = endOfTag(rest), let tag = EntityTag(reading: rest[..<end]) else { return nil }
                tags.append(tag)
                rest = FieldList.trimmed(rest[end...])
            }
            guard rest.isEmpty || rest.utf8.first == UInt8(ascii: ",") else { return nil }
            rest = FieldList.trimmed(rest.dropFirst())
        }
        return tags
    }

    /// The position after the second quote.
    private static func endOfTag(_ text: Substring) -> Substring.Index? {
        let bytes = text.utf8
        guard let opening = bytes.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let content = bytes.index(after: opening)
        guard let closing = bytes[content...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        return bytes.index(after: closing)
    }
}
