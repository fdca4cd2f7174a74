/// A fault that changes what is published; the publisher executes it between two segments.
enum PublisherCommand: Sendable, Equatable {
    /// How the numbering restarts.
    struct Restart: Sendable, Equatable {
        var hasDiscontinuity = false
        var hasFreshNames = false
    }

    case restart(Restart)
    /// Not published until then, seconds since 1970.
    case end(until: Double, Restart?)
}
