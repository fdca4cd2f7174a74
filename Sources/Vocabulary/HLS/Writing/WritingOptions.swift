/// How a playlist is written where the standard leaves a choice.
package struct WritingOptions: Sendable, Equatable {
    /// Whether KEY and MAP are repeated after each EXT-X-DISCONTINUITY, for players that drop them there.
    package var restatesAfterDiscontinuity: Bool

    package init(restatesAfterDiscontinuity: Bool = false) {
        self.restatesAfterDiscontinuity = restatesAfterDiscontinuity
    }
}

extension Playlist {
    /// The bytes of the playlist; reading them gives an equal value.
    package func writtenBytes(_ options: WritingOptions = WritingOptions()) -> [UInt8] {
        switch self {
        case .media(let playlist): playlist.writtenBytes(options)
        case .multivariant(let playlist): playlist.writtenBytes()
        }
    }

    /// The text of the playlist.
    package func written(_ options: WritingOptions = WritingOptions()) -> String {
        String(decoding: writtenBytes(options), as: UTF8.self)
    }
}
