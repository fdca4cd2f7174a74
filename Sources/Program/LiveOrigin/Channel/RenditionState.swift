/// The listed segments of a rendition, and those that can still be fetched.
struct RenditionState: Sendable {
    /// Segments that are produced but not listed.
    struct Hole: Sendable, Equatable {
        /// How a hole appears in the playlist.
        enum Form: String, Sendable, CaseIterable {
            /// Listed, but answered 404.
            case missing = "404"
            /// Not listed and not numbered: the media sequence numbers have no hole.
            case skip
            /// The numbers count on, and the playlist restarts after the hole.
            case jump
        }

        var form: Form
        var count: Int
        /// Whether the first segment after skipped ones has the tag.
        var hasDiscontinuity: Bool
    }

    /// Why the next segment begins a new playlist; until then the old one stays.
    enum Renewal: Sendable, Equatable {
        case jump
        case restart
    }

    /// A segment that left the playlist.
    struct Retired: Sendable {
        var uri: String
        var until: Double
    }

    var nextNumber = 0
    var listings: [Listing] = []
    var discontinuitySequence = 0
    var isDiscontinuityDue = false
    var renewal: Renewal?
    var hole: Hole?
    var gapCount = 0
    /// By URI relative to the media playlist.
    var available: [String: PublishedSegment] = [:]
    private var retired: [Retired] = []

    /// Lists a segment and removes the oldest while the playlist stays long enough.
    mutating func list(_ listing: Listing, _ segment: PublishedSegment?, options: ChannelOptions, now: Double)
    {
        if let renewal { renew(renewal, options: options, now: now) }
        retired.removeAll { $0.uri == listing.uri }
        available[listing.uri] = segment
        listings.append(listing)
        let least = max(options.listSeconds, Double(3 * options.targetDuration))
        var listed = listings.map(\.durationSeconds).reduce(0, +)
        while let first = listings.first, listed - first.durationSeconds >= least {
            listed -= first.durationSeconds
            retireFirst(options: options, now: now)
        }
        removeExpired(now: now)
    }

    /// Empties the playlist; its segments can still be fetched for a while.
    private mutating func renew(_ renewal: Renewal, options: ChannelOptions, now: Double) {
        while !listings.isEmpty { retireFirst(options: options, now: now) }
        if renewal == .restart { discontinuitySequence = 0 }
        self.renewal = nil
    }

    private mutating func retireFirst(options: ChannelOptions, now: Double) {
        let listing = listings.removeFirst()
        if listing.isDiscontinuity { discontinuitySequence += 1 }
        retired.append(Retired(uri: listing.uri, until: now + options.retirementSeconds))
    }

    private mutating func removeExpired(now: Double) {
        for old in retired where old.until < now { available[old.uri] = nil }
        retired.removeAll { $0.until < now }
    }
}
