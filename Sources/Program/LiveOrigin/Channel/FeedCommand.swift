/// A fault that changes what is published; done by the publisher between two segments.
enum FeedCommand: Sendable, Equatable {
    /// How the numbering begins anew.
    struct Restart: Sendable, Equatable {
        var hasDiscontinuity = false
        var hasFreshNames = false
    }

    case restart(Restart)
    /// Off air until then, seconds since 1970.
    case end(until: Double, Restart?)
}
