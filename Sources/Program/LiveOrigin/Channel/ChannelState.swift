/// A channel as a value: what is listed, and the faults in force.
struct ChannelState: Sendable {
    let name: String
    var options: ChannelOptions
    var renditions: [String: RenditionState]
    /// Initialization sections by "rendition/name".
    var initializations: [String: [UInt8]] = [:]
    var keys: [Int: [UInt8]] = [:]
    /// How often the numbering has been restarted.
    var sourceRun = 0
    /// Whether segments after a restart have the restart's number in their name.
    var hasFreshNames = false
    var dateOffset = 0.0
    var stalledUntil = -Double.infinity
    var end: End?
    var commands: [PublisherCommand] = []
    var faults = RequestFaults()

    /// A channel that has ended for a while.
    struct End: Sendable, Equatable {
        var until: Double
        /// How the numbering restarts afterwards.
        var restart: PublisherCommand.Restart?
    }

    init(name: String, options: ChannelOptions) {
        self.name = name
        self.options = options
        renditions = Dictionary(
            uniqueKeysWithValues: options.layout.renditions.map { ($0.id, RenditionState()) })
    }

    /// Whether every rendition lists something; a restart does not change this.
    var isReady: Bool { renditions.values.allSatisfy { !$0.listings.isEmpty } }

    /// A media playlist; nil for a rendition that the channel does not have or that lists nothing yet.
    func playlist(of rendition: String) -> MediaPlaylistText? {
        guard let state = renditions[rendition], !state.listings.isEmpty else { return nil }
        return MediaPlaylistText(
            targetDuration: options.targetDuration, discontinuitySequence: state.discontinuitySequence,
            listings: state.listings, hasEnded: end != nil, breaks: options.breaks)
    }

    /// Restarts the numbering at 0, as an encoder that is restarted.
    mutating func restart(_ restart: PublisherCommand.Restart) {
        sourceRun += 1
        hasFreshNames = restart.hasFreshNames
        for id in renditions.keys {
            renditions[id]?.renewal = .restart
            renditions[id]?.nextNumber = 0
            renditions[id]?.isDiscontinuityDue = restart.hasDiscontinuity
        }
    }

    /// Marks the next segment of every rendition as a discontinuity.
    mutating func markDiscontinuity() {
        for id in renditions.keys { renditions[id]?.isDiscontinuityDue = true }
    }
}
