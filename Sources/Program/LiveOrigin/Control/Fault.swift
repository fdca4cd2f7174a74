/// A fault that a test requests for one channel.
///
/// A rendition of nil means all of them.
enum Fault: Sendable, Equatable {
    case hole(rendition: String?, RenditionState.Hole)
    case gap(rendition: String?, count: Int)
    case fail(rendition: String?, RequestFaults.Failing)
    case truncate(rendition: String?, RequestFaults.Truncating)
    /// The next segment that is requested cannot be fetched before these seconds have passed.
    case late(rendition: String?, seconds: Double)
    case stall(seconds: Double)
    case restart(PublisherCommand.Restart)
    case end(seconds: Double, PublisherCommand.Restart?)
    case slow(bytesPerSecond: Int, seconds: Double)
    case html(seconds: Double)
    case down(seconds: Double)
    /// The keys are unavailable.
    case keys(seconds: Double)
    case withdraw(rendition: String?, RequestFaults.Withdrawal)
    case dateJump(seconds: Double)
    /// Toggles the names and attributes with which the multivariant playlist describes its renditions.
    case respell
    /// Ends lasting faults.
    case clear
}
