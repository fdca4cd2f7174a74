import Compression
import Digest
import Encoding
package import HTTP

/// The text of a playlist, in pieces that are its own or shared with other answers.
package struct RenderedPlaylist: Sendable {
    enum Piece: Sendable {
        case own([UInt8])
        case shared(BlockText)
    }

    /// The pieces in order.
    package let body: [SharedBytes]
    /// Identifies the text, with the same value on every replica; used as the opaque part of an entity tag.
    package let tag: String
    private let pieces: [Piece]

    package init(_ bytes: [UInt8]) throws(PlaybackError) {
        try self.init([.own(bytes)])
    }

    init(_ pieces: [Piece]) throws(PlaybackError) {
        self.pieces = pieces
        var (body, digests): ([SharedBytes], [UInt8]) = ([], [])
        for piece in pieces {
            switch piece {
            case .own(let bytes):
                body.append(SharedBytes(bytes))
                digests += try SHA256.made(of: bytes)
            case .shared(let text):
                let lines = try text.lines()
                body.append(lines.bytes)
                digests += lines.digest
            }
        }
        self.body = body
        tag = Hexadecimal.encode(try SHA256.made(of: digests).prefix(16))
    }

    /// The text compressed with gzip; shared pieces are compressed only once.
    package func gzip() throws(PlaybackError) -> [SharedBytes] {
        var blocks: [DeflateBlock] = []
        for piece in pieces {
            switch piece {
            case .own(let bytes): blocks.append(try .made(of: bytes, level: Limits.gzipLevel))
            case .shared(let text): blocks.append(try text.deflated())
            }
        }
        return GzipJoin.assemble(blocks).map(SharedBytes.init)
    }
}
