package import Catalogue
package import Timeline

/// Why there is no answer for a window.
package enum PlaybackError: Error, Sendable, CustomStringConvertible {
    /// The end is not after the begin.
    case emptyWindow
    /// Longer than the limit, in seconds.
    case windowTooLong(limitSeconds: Int64)
    /// A sliding list longer than the limit, in seconds.
    case lengthTooLong(limitSeconds: Int64)
    /// Further behind live than the channel keeps, in seconds.
    case delayTooLong(limitSeconds: Int64)
    /// The stretches that are held, nearest first.
    case nothingRecorded(available: [TimeWindow])
    case noSuchRendition(RenditionID)
    /// Retention has taken everything before this instant.
    case expired(before: Instant)
    /// Not whole though `strict` was asked: microseconds that the worst rendition lacks.
    case incomplete(rendition: RenditionID, missing: Int64)
    case catalogue(CatalogueError)
    case system(String)

    package var description: String {
        switch self {
        case .emptyWindow: "the window ends before it begins"
        case .windowTooLong(let limit): "a window may be at most \(limit) seconds long"
        case .lengthTooLong(let limit): "a sliding window may be at most \(limit) seconds long"
        case .delayTooLong(let limit): "the channel keeps \(limit) seconds"
        case .nothingRecorded: "nothing is recorded there"
        case .noSuchRendition(let id): "the channel has no rendition \(id)"
        case .expired: "the window lies before what retention keeps"
        case .incomplete(let id, let missing):
            "\(id) lacks \(Microseconds.seconds(missing)) seconds of the window"
        case .catalogue(let error): "\(error)"
        case .system(let reason): reason
        }
    }
}
