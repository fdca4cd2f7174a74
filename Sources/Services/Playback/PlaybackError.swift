package import Catalogue
package import Timeline

/// Why a window cannot be answered.
package enum PlaybackError: Error, Sendable, CustomStringConvertible {
    /// The end is not after the begin.
    case emptyWindow
    /// The window is longer than the limit, in seconds.
    case windowTooLong(limitSeconds: Int64)
    /// The sliding playlist is longer than the limit, in seconds.
    case lengthTooLong(limitSeconds: Int64)
    /// The delay is longer than the channel's retention, in seconds.
    case delayTooLong(limitSeconds: Int64)
    /// Nothing is recorded in the window; carries the nearest recorded spans, nearest first.
    case nothingRecorded(available: [TimeWindow])
    case noSuchRendition(RenditionID)
    /// No key frames are known of the rendition in the window, or it is encrypted.
    case noKeyFrames(RenditionID)
    /// Everything before this instant has expired.
    case expired(before: Instant)
    /// The request was strict, but this rendition lacks some microseconds.
    case incomplete(rendition: RenditionID, missing: Int64)
    /// Too much is missing for a playlist that states it as gaps.
    case tooManyGaps(limit: Int64)
    /// Too much is being read, for this client or for all.
    case busy
    case catalogue(CatalogueError)
    case system(String)

    package var description: String {
        switch self {
        case .emptyWindow: "the window ends before it begins"
        case .windowTooLong(let limit): "a window may be at most \(limit) seconds long"
        case .lengthTooLong(let limit): "a sliding window may be at most \(limit) seconds long"
        case .delayTooLong(let limit): "the delay may be at most the channel's retention of \(limit) seconds"
        case .nothingRecorded: "nothing is recorded in this window"
        case .noSuchRendition(let id): "the channel has no rendition \(id)"
        case .noKeyFrames(let id):
            "rendition \(id) has no key frames here that a player could read alone"
        case .expired: "the window has expired"
        case .incomplete(let id, let missing):
            "rendition \(id) lacks \(Microseconds.seconds(missing)) seconds of the window"
        case .tooManyGaps(let limit):
            "a playlist may have at most \(limit) entries for what is missing; "
                + "ask for a shorter window, or leave gaps out"
        case .busy: "many windows are being read already; ask again soon"
        case .catalogue(let error): "\(error)"
        case .system(let reason): reason
        }
    }
}

extension PlaybackError {
    /// Runs a body that asks the catalogue.
    static func mapping<Value>(
        _ body: () async throws(CatalogueError) -> Value,
    ) async throws(PlaybackError) -> Value {
        do throws(CatalogueError) {
            return try await body()
        } catch {
            throw .catalogue(error)
        }
    }
}
