/// The bounds of this module.
package enum Limits {
    /// Bytes of all channel ids of a token, each counted with one more: a token has at most 1,004 characters,
    /// so that the header of a request has space for it.
    package static let channelBytes = 672
    /// Characters of a token; a longer text is none.
    static let tokenCharacters = 1024
    /// Verified tokens that are kept, so that each is verified once; when there is no space, all are dropped.
    static let verifiedTokens = 16_384
    /// Pause between two questions whether tokens were revoked, beside the announcements.
    static let pollInterval = Duration.seconds(2)
    /// Pause between two reads of everything that is revoked: what has expired is dropped.
    static let fullReadInterval = Duration.seconds(600)
}
