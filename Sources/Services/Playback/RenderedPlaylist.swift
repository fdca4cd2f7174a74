import Compression
import Digest

/// The bytes of a playlist and the name of this very text.
package struct RenderedPlaylist: Sendable {
    package let bytes: [UInt8]
    /// Equal for equal bytes, on every replica: the opaque part of an entity tag.
    package let tag: String

    package init(_ bytes: [UInt8]) throws(PlaybackError) {
        self.bytes = bytes
        do {
            tag = Hexadecimal.encode(try SHA256.digest(of: bytes).prefix(16))
        } catch {
            throw .system("\(error)")
        }
    }

    /// The same, compressed.
    package func gzip() throws(PlaybackError) -> [UInt8] {
        do {
            return try Gzip.compress(bytes, level: Limits.gzipLevel)
        } catch {
            throw .system("\(error)")
        }
    }
}
