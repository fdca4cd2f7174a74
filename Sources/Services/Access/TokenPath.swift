/// A path that begins with a playback token: `/t/{token}/live/…`.
package struct TokenPath {
    package static let root = "/t/"

    package let token: Substring
    /// What follows the token; it begins with a slash.
    package let rest: Substring

    /// Nil if the path does not begin with `/t/`, a token, and a slash.
    package init?(_ path: String) {
        let bytes = path.utf8
        guard bytes.starts(with: Self.root.utf8) else { return nil }
        let begin = bytes.index(bytes.startIndex, offsetBy: Self.root.utf8.count)
        guard let end = bytes[begin...].firstIndex(of: UInt8(ascii: "/")), end > begin else { return nil }
        (token, rest) = (path[begin..<end], path[end...])
    }
}
