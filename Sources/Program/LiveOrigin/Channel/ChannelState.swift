/// A channel as a value: what is listed, and which faults are in force.
struct ChannelState: Sendable {
    let name: String
    var options: ChannelOptions
    var renditions: [String: RenditionState]
    /// Initialization sections by "rendition/name".
    var initializations: [String: [UInt8]] = [:]
    var keys: [Int: [UInt8]] = [:]
    var feed = 0
    /// Segments of later feeds have the feed in their name.
    var hasFreshNames = false
    var dateOffset = 0.0
    var stalledUntil = -Double.infinity
    var end: End?
    var commands: [FeedCommand] = []
    var faults = RequestFaults()

    /// A channel that has ended for now.
    struct End: Sendable, Equatable {
        var until: Double
        /// Whether the numbering begins anew afterwards.
        var restart: FeedCommand.Restart?
    }

    init(name: String, options: ChannelOptions) {
        self.name = name
        self.options = options
        renditions = Dictionary(
            uniqueKeysWithValues: options.layout.renditions.map { ($0.id, RenditionState()) })
    }

    /// Every rendition lists something; a restart does not take this back.
    var isReady: Bool { renditions.values.allSatisfy { !$0.listings.isEmpty } }

    /// A media playlist; nil for a rendition that the channel does not have or that lists nothing yet.
    func playlist(of rendition: String) -> MediaPlaylistText? {
        guard let state = renditions[rendition], !state.listings.isEmpty else { return nil }
        return MediaPlaylistText(
            targetDuration: options.targetDuration, discontinuitySequence: state.discontinuitySequence,
            listings: state.listings, hasEnded: end != nil)
    }

    /// Begins the numbering at 0 again, as an encoder does that was started anew.
    mutating func restart(_ restart: FeedCommand.Restart) {
        feed += 1
        hasFreshNames = restart.hasFreshNames
        for id in renditions.keys {
            renditions[id]?.renewal = .restart
            renditions[id]?.nextNumber = 0
            renditions[id]?.isDiscontinuityDue = restart.hasDiscontinuity
        }
    }

    /// The next segment of every rendition does not continue the last.
    mutating func markDiscontinuity() {
        for id in renditions.keys { renditions[id]?.isDiscontinuityDue = true }
    }
}
