/// A reference of RFC 3986 in its components, made legal: illegal bytes are escaped once, existing escapes
/// stay, a fragment is dropped.
package struct URLReference: Hashable, Sendable {
    /// In lower case.
    package internal(set) var scheme: String?
    package internal(set) var authority: String?
    package internal(set) var path: String
    package internal(set) var query: String?

    /// Reads a reference.
    ///
    /// Surrounding blanks are ignored, control characters are refused.
    package init(reading text: some StringProtocol) throws(HTTPURLError) {
        guard text.utf8.count <= Limits.urlByteCount else { throw .tooLong }
        guard !text.utf8.contains(where: \.isControl) else { throw .controlCharacter }
        let trimmed = FieldList.trimmed(Substring(text))
        var rest = Array(trimmed.utf8)[...]
        rest = rest.prefix { $0 != UInt8(ascii: "#") }
        scheme = Self.removeScheme(from: &rest)
        authority = Self.removeAuthority(from: &rest)
        let mark = rest.firstIndex(of: UInt8(ascii: "?"))
        path = Self.legal(rest[..<(mark ?? rest.endIndex)], isPath: true)
        query = mark.map { Self.legal(rest[($0 + 1)...], isPath: false) }
        guard absoluteString.utf8.count <= Limits.urlByteCount else { throw .tooLong }
    }

    /// The recomposed components (RFC 3986 §5.3).
    package var absoluteString: String {
        var text = scheme.map { $0 + ":" } ?? ""
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        return text
    }

    /// The target of this reference relative to `base` (RFC 3986 §5.2.2, strict).
    package func resolved(against base: URLReference) -> URLReference {
        var target = self
        target.scheme = scheme ?? base.scheme
        if scheme == nil && authority == nil {
            target.authority = base.authority
            if path.isEmpty {
                target.path = base.path
                target.query = query ?? base.query
                return target
            }
            if !path.utf8.starts(with: "/".utf8) { target.path = merged(with: base) }
        }
        target.path = DotSegments.removed(from: target.path)
        return target
    }

    /// The path after the base's last slash (RFC 3986 §5.2.3).
    private func merged(with base: URLReference) -> String {
        if base.authority != nil && base.path.isEmpty { return "/" + path }
        guard let slash = base.path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return base.path[...slash] + path
    }
}
