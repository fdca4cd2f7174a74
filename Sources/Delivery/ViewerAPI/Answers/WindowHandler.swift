import Catalogue
import Concurrency
import Export
import HTTP
import Logging
import Pictures
import Playback
import TimeZones
import Timeline

/// Answers requests for windows of time: playlists and downloads.
final class WindowHandler: Sendable {
    let index: TimelineIndex
    let playbackService: PlaybackService
    let export: WindowExport
    let pictures: PictureMaker
    /// The longest window, microseconds, if closed windows are redirected to their canonical URL.
    let longestCanonical: Int64?
    let clock: @Sendable () -> Instant
    /// The clock for pauses and time limits.
    let hostClock: HostClock
    let logger: Logger
    let cache = AnswerCache()

    init(
        index: TimelineIndex, playbackService: PlaybackService, export: WindowExport, pictures: PictureMaker,
        longestCanonical: Int64?, clock: HostClock, logger: Logger,
    ) {
        (self.index, self.playbackService, self.export) = (index, playbackService, export)
        self.pictures = pictures
        self.longestCanonical = longestCanonical
        (self.clock, hostClock, self.logger) = (clock.now, clock, logger)
    }

    func answer(
        _ request: HTTPRequest, _ key: AnswerCache.Key, route: WindowRoute,
    ) async -> HTTPResponse {
        do {
            let now = clock()
            guard let channel = try await index.channel(route.channel) else {
                return Self.noSuchChannel(route)
            }
            var parameters = try ViewerParameters(
                query: request.query, dialect: route.dialect, zone: Self.zone(of: channel))
            parameters.window.client = request.client
            if route.resource.isMedia { parameters.window.writesGaps = false }
            guard channel.playlistForm != nil else {
                if channel.isDeleted { return Self.noSuchChannel(route) }
                return Problem(.notFound, "nothing is recorded of \(channel.id) yet").offering([]).answer()
            }
            let asked = RequestedWindow(
                request: request, route: route, channel: channel, parameters: parameters, now: now,
                coding: key.coding)
            return try await answer(asked)
        } catch let error as ParameterError {
            return Problem(error).answer()
        } catch {
            return failure(error, route)
        }
    }

    private func answer(_ asked: RequestedWindow) async throws -> HTTPResponse {
        do {
            switch asked.route.resource {
            case .transportStream: return try await download(asked)
            case .recordingStatus: return try await recordingStatus(asked)
            case .endlessStream: return try await stream(asked)
            case .movie: return try await movie(asked)
            case .since: return try await redirectToTimeshift(asked)
            case .picture: return try await picture(asked)
            case .thumbnails: return try await thumbnails(asked)
            case .index, .master, .media, .keyFrames, .single: return try await playlist(asked)
            }
        } catch let error as ExportError {
            switch error {
            case .notPacked, .unstartable, .unreadable: warn("Cannot pack a download", asked, error)
            default: break
            }
            return Problem(error, asked).answer()
        } catch let error as PictureError {
            if case .unavailable = error { warn("Cannot make a picture", asked, error) }
            return Problem(error).answer()
        } catch let error as PlaybackError {
            if asked.channel.isDeleted, case .nothingRecorded(let available) = error, available.isEmpty {
                return Self.noSuchChannel(asked.route)
            }
            return failure(error, asked.route, asked.parameters)
        }
    }

    private func warn(_ what: Logger.Message, _ asked: RequestedWindow, _ error: any Error) {
        logger.warning(what, metadata: ["channel": "\(asked.channel.id)", "error": "\(error)"])
    }

    /// The zone of times that name none; it is looked up only for those.
    static func zone(of channel: Channel) -> InstantReading.Zone {
        let name = channel.settings.timeZone
        return { NamedZone.reading(name)($0, $1) }
    }

    private static func noSuchChannel(_ route: WindowRoute) -> HTTPResponse {
        Problem(.notFound, "there is no channel \(route.channel)").answer()
    }

    private func failure(
        _ error: any Error, _ route: WindowRoute, _ parameters: ViewerParameters? = nil,
    ) -> HTTPResponse {
        let playback: PlaybackError =
            switch error {
            case let error as PlaybackError: error
            case let error as CatalogueError: .catalogue(error)
            default: .system("\(error)")
            }
        switch playback {
        case .catalogue, .system:
            logger.warning(
                "Cannot answer a window", metadata: ["channel": "\(route.channel)", "error": "\(playback)"])
        default: break
        }
        return Problem(
            playback, endName: parameters?.endName ?? "endtime", delayName: parameters?.delayName ?? "delay",
            audio: parameters?.audio
        ).answer()
    }
}

/// A request with its channel found and its parameters read.
struct RequestedWindow: Sendable {
    var request: HTTPRequest
    var route: WindowRoute
    var channel: Channel
    var parameters: ViewerParameters
    var now: Instant
    /// The coding of a playlist.
    var coding: ContentCoding
}
