/// The variants and renditions of one presentation.
package struct MultivariantPlaylist: Sendable, Equatable, CommonTags {
    package var version: Int?
    package var isIndependentSegments = false
    package var start: StartPoint?
    package var definitions: [Definition] = []
    package var allowsCache: Bool?
    package var unknownLines: [String] = []

    package var variants: [VariantStream] = []
    package var renditions: [Rendition] = []
    /// EXT-X-I-FRAME-STREAM-INF: views of the same media for seeking.
    package var iFrameStreams: [VariantStream] = []
    package var sessionData: [SessionData] = []
    package var sessionKeys: [Key] = []
    package var contentSteering: ContentSteering?

    package init() {}
}
