/// What an operator says of playback.
package struct ViewerConfiguration: Sendable {
    /// The longest window of one answer, in seconds.
    package var maxWindowSeconds: Int64

    package init(maxWindowSeconds: Int64 = 86_400) {
        self.maxWindowSeconds = maxWindowSeconds
    }
}
