package import Timeline

/// A playback token that was made here; its text is not kept.
package struct IssuedToken: Sendable, Equatable {
    package var grant: PlaybackGrant
    package var created: Instant

    package init(grant: PlaybackGrant, created: Instant) {
        (self.grant, self.created) = (grant, created)
    }
}
