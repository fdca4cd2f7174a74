/// Removal of "." and ".." from a path (RFC 3986 §5.2.4).
enum DotSegments {
    static func removed(from path: String) -> String {
        let isAbsolute = path.utf8.starts(with: "/".utf8)
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst(isAbsolute ? 1 : 0)
        var kept: [Substring] = []
        // A dot segment at the end leaves the slash before it.
        var endsInSlash = false
        for segment in segments.map(Substring.init) {
            endsInSlash = segment == "." || segment == ".."
            if segment == ".." {
                _ = kept.popLast()
            } else if segment != "." {
                kept.append(segment)
            }
        }
        if endsInSlash && (isAbsolute || !kept.isEmpty) { kept.append("") }
        return (isAbsolute ? "/" : "") + kept.joined(separator: "/")
    }
}
