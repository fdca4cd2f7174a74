/// A fault that a test asks for, on one channel.
///
/// A rendition of nil means all of them.
enum Fault: Sendable, Equatable {
    case hole(rendition: String?, RenditionState.Hole)
    case gap(rendition: String?, count: Int)
    case fail(rendition: String?, RequestFaults.Failing)
    case truncate(rendition: String?, RequestFaults.Truncating)
    case stall(seconds: Double)
    case restart(FeedCommand.Restart)
    case end(seconds: Double, FeedCommand.Restart?)
    case slow(bytesPerSecond: Int, seconds: Double)
    case html(seconds: Double)
    case down(seconds: Double)
    /// The keys are not to be had.
    case keys(seconds: Double)
    case withdraw(rendition: String?, RequestFaults.Withdrawal)
    case dateJump(seconds: Double)
    /// Ends the faults that last.
    case clear
}
