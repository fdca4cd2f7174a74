/// What a player gets for a name of a task.
package enum PlayedContent: Sendable {
    /// A playlist that may grow.
    case playlist([UInt8])
    /// A file that is there.
    case file(ServedFile)
    /// A part that comes while it is answered; `length` bytes if that is known.
    case growingPart(GrowingBody, length: UInt64?)
    /// A media file that is being fetched.
    case growingFile(GrowingFile)
    /// The task is not known enough yet.
    case preparing
    /// The part is not there, and its task does not run.
    case notRunning
    /// Nothing came for a part in the time that a player waits.
    case sourceUnavailable
}
