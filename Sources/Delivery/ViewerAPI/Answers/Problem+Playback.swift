import Catalogue
import Export
import HTTP
import JSON
import Playback
import Timeline

/// The members that problems of playback have beside those of the standard.
extension Problem {
    /// Names the parameter that is wrong.
    func naming(_ parameter: String) -> Problem {
        with("parameter", .string(parameter))
    }

    /// Names the longest window, in seconds.
    func limitingWindow(to seconds: Int64) -> Problem {
        with("max_window", .integer(seconds))
    }

    /// Names what is recorded, nearest first.
    func offering(_ windows: [TimeWindow]) -> Problem {
        let spans = windows.map { window -> JSONValue in
            ["begin": .string(window.begin.rfc3339), "end": .string(window.end.rfc3339)]
        }
        return with("available", .array(spans))
    }

    /// Names how much of a rendition is missing, in microseconds.
    func missing(_ microseconds: Int64, of rendition: RenditionID) -> Problem {
        with("missing_seconds", .number(Microseconds.seconds(microseconds)))
            .with("rendition", .string(rendition.description))
    }

    /// The answer to a player: pages of every origin may read it.
    func answer() -> HTTPResponse {
        response(Fields.common)
    }
}

/// The one place where failures become status codes.
extension Problem {
    init(_ error: ParameterError) {
        self = Problem(.badRequest, error.reason).naming(error.parameter)
    }

    /// A failure of a window.
    ///
    /// Its end and delay are given by the parameters with these names. `audio` is the rendition of the
    /// parameter `audio`.
    init(
        _ error: PlaybackError, endName: String = "endtime", delayName: String = "delay",
        audio: RenditionID? = nil,
    ) {
        let detail = error.description
        switch error {
        case .emptyWindow: self = Problem(.badRequest, detail).naming(endName)
        case .windowTooLong(let limit):
            self = Problem(
                .badRequest, "\(detail); leave the end out and follow Backcast-Next to page through more"
            )
            .naming(endName).limitingWindow(to: limit)
        case .lengthTooLong(let limit):
            self = Problem(.badRequest, detail).naming("dvr").limitingWindow(to: limit)
        case .delayTooLong: self = Problem(.badRequest, detail).naming(delayName)
        case .nothingRecorded(let available): self = Problem(.notFound, detail).offering(available)
        case .noSuchRendition(let id):
            self = Problem(.notFound, detail).naming(id == audio ? "audio" : "rendition")
        case .noKeyFrames: self = Problem(.notFound, detail).naming("rendition")
        case .expired(let before):
            self = Problem(.gone, "\(detail); recordings are kept from \(before.rfc3339) on")
        case .incomplete(let id, let missing): self = Problem(.conflict, detail).missing(missing, of: id)
        case .tooManyGaps(let limit):
            self = Problem(.badRequest, detail).naming("gaps").with("max_gaps", .integer(limit))
        case .busy:
            self = Problem(.serviceUnavailable, detail).retryable(afterSeconds: Limits.busyRetrySeconds)
        case .catalogue(let error):
            self =
                error.isTransient
                ? Problem.unavailable : Problem(.internalServerError, "the catalogue could not be read")
        case .system: self = Problem(.internalServerError, "the answer could not be prepared")
        }
    }

    init(_ error: ExportError, _ asked: RequestedWindow) {
        let isMovie = asked.route.resource == .movie
        switch error {
        case .notDecryptable:
            self = Problem(.notFound, "the window cannot be downloaded: \(error)")
        case .separateAudio, .otherContainer, .separateTables:
            let form = isMovie ? "one MP4 file" : "one transport stream"
            self = Problem(.notFound, "the window cannot be \(form): \(error)")
            if let instead = asked.instead { self = with("instead", .string(instead)) }
        case .noFFmpeg: self = Problem(.notImplemented, "the window cannot be packed: \(error)")
        case .unstartable:
            self = Problem(.serviceUnavailable, "the window cannot be packed now").retryable(
                afterSeconds: Limits.retryAfterSeconds)
        case .noFreeProcess:
            self = Problem(.serviceUnavailable, "\(error)").retryable(
                afterSeconds: Limits.packingRetrySeconds)
        case .unreadable:
            self = Problem(.serviceUnavailable, "the archive cannot be read").retryable(
                afterSeconds: Limits.retryAfterSeconds)
        case .notPacked: self = Problem(.internalServerError, "the window could not be packed")
        case .endedEarly, .digest: self = Problem(.internalServerError, "the download could not be prepared")
        }
    }

    /// The catalogue is unavailable for a while.
    static var unavailable: Problem {
        Problem(.serviceUnavailable, "the catalogue is unavailable").retryable(
            afterSeconds: Limits.retryAfterSeconds)
    }
}

extension RequestedWindow {
    /// The relative URL of the same in a form that every channel has: a window as an MP4 file, an endless
    /// stream as the playlist of its name.
    fileprivate var instead: String? {
        let query = request.query.map { "?\($0)" } ?? ""
        switch route.resource {
        case .transportStream:
            let file = WindowRoute.Resource.movie.file
            guard route.dialect != nil, case .closed(let begin, let end?) = parameters.window.span else {
                return file + query
            }
            return "\(file)?\(parameters.window.query(begin: begin, end: end))\(parameters.choices)"
        case .endlessStream:
            guard let file = request.path.split(separator: "/").last else { return nil }
            return "\(file.dropLast(".ts".utf8.count)).m3u8\(query)"
        default: return nil
        }
    }
}
