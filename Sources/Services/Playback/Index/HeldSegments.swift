package import Catalogue
package import Timeline

/// What is held of a channel for one window: the material of a playlist.
package struct HeldSegments: Sendable {
    package var publishedHead: PublishedHead
    /// Every rendition of the channel, in order of their ids; those with nothing in the window too.
    package var renditions: [ListedRendition]
    package var formats: [Int32: SegmentFormat]
}
