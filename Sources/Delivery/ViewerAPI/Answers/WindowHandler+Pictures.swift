import Catalogue
import Concurrency
import HTTP
import Logging
import Pictures
import Playback
import Timeline

/// Pictures of recorded key frames.
extension WindowHandler {
    /// The picture of an instant; where there is none, the answer says what is recorded.
    func picture(_ asked: RequestedWindow) async throws -> HTTPResponse {
        let parameters = try PictureParameters(asked)
        let (time, width) = (try parameters.time(), try parameters.width())
        let problem: Problem
        do {
            return try await picture(asked, at: time, width: width)
        } catch let error as PictureError where error.isAbsence {
            // The decoder is ended when the viewer leaves.
            if case .decoder = error, !Task.isCancelled { logPicture(error, asked) }
            problem = Problem(error)
        } catch let error as PlaybackError {
            guard case .noKeyFrames = error else { throw error }
            problem = Problem(error)
        }
        var request = WindowRequest(.closed(begin: time, end: time + Microseconds.perMillisecond))
        request.client = asked.request.client
        return problem.offering(try await playbackService.available(near: request, asked.channel)).answer()
    }

    private func picture(_ asked: RequestedWindow, at time: Instant, width: Int?) async throws -> HTTPResponse
    {
        let found = try await playbackService.keyFrame(
            at: time, of: asked.parameters.rendition, asked.channel, now: asked.now,
            for: asked.request.client)
        let wanted = WantedPicture(
            segment: found.key(of: asked.channel.id), format: found.format, iv: found.segment.iv,
            tableByteCount: found.tableByteCount, frame: found.frame, width: width)
        let name = "\(found.rendition)-\(found.segment.start.milliseconds)-\(found.segment.revision)"
        let tag = EntityTag(strong: "\(name)-\(found.frame.offset)-\(width ?? 0)")
        var headers = Fields.common
        headers["Content-Type"] = "image/jpeg"
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Backcast-Time"] = found.begin.exactRFC3339
        headers["Cache-Control"] =
            cacheControl(asked, found.facts) + (found.facts.isFinal ? ", immutable" : "")
        headers["Cache-Tag"] = "ch-\(asked.channel.id), ch-\(asked.channel.id)-\(found.begin.dateText)"
        headers["ETag"] = tag.fieldValue
        switch Preconditions.evaluated(
            method: asked.request.method, headers: asked.request.headers,
            current: Validators(entityTag: tag))
        {
        case .notModified:
            return HTTPResponse(status: .notModified, headers: headers, body: unsent(wanted))
        case .preconditionFailed: return Fields.changed
        case .proceed: break
        }
        if asked.request.method == .head {
            try pictures.checkDecoder()
            return HTTPResponse(status: .ok, headers: headers, body: unsent(wanted))
        }
        let picture = try await pictures.picture(wanted)
        return HTTPResponse(status: .ok, headers: headers, body: .bytes(picture))
    }

    /// The body that GET would have, of which only the length is sent.
    ///
    /// No other length than that of the picture may be said (RFC 9110 §8.6); without one the server has to
    /// close the connection.
    private func unsent(_ wanted: WantedPicture) -> HTTPBody {
        .stream(length: pictures.knownByteCount(of: wanted).map(UInt64.init), UnsentPicture())
    }

    private func logPicture(_ error: PictureError, _ asked: RequestedWindow) {
        logger.warning(
            "Cannot make a picture", metadata: ["channel": "\(asked.channel.id)", "error": "\(error)"])
    }

    /// A WebVTT track that names pictures of a closed window.
    func thumbnails(_ asked: RequestedWindow) async throws -> HTTPResponse {
        let parameters = try PictureParameters(asked)
        let (askedStep, width) = (try parameters.step(), try parameters.width() ?? Limits.thumbnailWidth)
        switch asked.parameters.window.span {
        case .closed: break
        case .event: throw ParameterError("mode", "a thumbnail track is of a window that does not grow")
        case .sliding, .timeshift: throw ParameterError("begintime", "a thumbnail track needs begintime")
        }
        let window = try await playbackService.compose(
            asked.parameters.window, of: asked.channel, now: asked.now)
        if let redirect = try redirect(asked, window) { return redirect }
        let step = askedStep ?? PictureParameters.defaultStep(of: window.window)
        guard window.window.microseconds / step <= Limits.cues else {
            throw ParameterError("step", "the window has more than \(Limits.cues) steps")
        }
        var id = window.leading?.id
        if let wanted = asked.parameters.rendition { id = try await present(wanted, asked, window) }
        guard let id else { throw PlaybackError.nothingRecorded(available: []) }
        if asked.parameters.window.isStrict { try window.checkWhole(id) }
        let track = try await playbackService.thumbnailTrack(
            of: id, in: window, step: step, width: width, named: asked.parameters.rendition,
            for: asked.request.client)
        var answer = try await respond(
            to: asked, with: PlaylistAnswer(playlist: track, facts: window.facts),
            type: "text/vtt; charset=utf-8")
        if answer.status == .ok, case .pieces(let pieces) = answer.body {
            let text = pieces.flatMap(\.bytes)
            if text.count > Limits.textByteCount {
                answer.body = .stream(length: UInt64(text.count), LongText(text))
            }
        }
        return answer
    }
}

/// A long text as a stream, of which a client may have few at a time.
private actor LongText: HTTPBodySource {
    private var rest: ArraySlice<UInt8>

    init(_ text: [UInt8]) { rest = text[...] }

    func next(limit: Int) -> [UInt8]? {
        guard !rest.isEmpty else { return nil }
        defer { rest = rest.dropFirst(limit) }
        return Array(rest.prefix(limit))
    }
}

extension PictureError {
    /// Whether the rendition has no picture there, rather than that none can be made now.
    fileprivate var isAbsence: Bool {
        switch self {
        case .encrypted, .notHeld, .decoder: true
        case .busy, .noDecoder, .unavailable, .store: false
        }
    }
}

extension Problem {
    init(_ error: PictureError) {
        switch error {
        case .busy:
            self = Problem(.serviceUnavailable, "\(error)").retryable(
                afterSeconds: Limits.pictureRetrySeconds)
        case .noDecoder: self = Problem(.notImplemented, "\(error)")
        case .unavailable:
            self = Problem(.serviceUnavailable, "pictures cannot be made now").retryable(
                afterSeconds: Limits.retryAfterSeconds)
        case .encrypted, .notHeld: self = Problem(.notFound, "there is no picture: \(error)")
        case .store:
            self = Problem(.serviceUnavailable, "the archive cannot be read").retryable(
                afterSeconds: Limits.retryAfterSeconds)
        case .decoder: self = Problem(.notFound, "there is no picture: the key frame cannot be decoded")
        }
    }
}

/// The body of an answer to HEAD or of 304.
private final class UnsentPicture: HTTPBodySource {
    func next(limit: Int) -> [UInt8]? { nil }
}
