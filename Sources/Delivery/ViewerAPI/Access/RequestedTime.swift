import HTTP
import Playback
import Timeline

/// The time of a recording that a request asks for.
enum RequestedTime: Equatable {
    /// Nothing that belongs to a time: initialization sections and keys.
    case none
    case segment(RenditionID, start: Instant)
    /// The picture at an instant, of a rendition, or with nil of the leading one that holds something there.
    case picture(RenditionID?, Instant)
    /// A window of a rendition, or of the channel if that is nil; without an end up to the live edge.
    ///
    /// Players reload one that grows.
    case window(RenditionID?, begin: Instant, end: Instant?, grows: Bool)
    /// What is recorded of a time; without an end up to now.
    case coverage(begin: Instant, end: Instant?)
    /// A playlist that follows the live edge, with delay and length in microseconds.
    case live(delay: Int64, length: Int64?, isShifted: Bool)
    /// A stream that goes on for as long as the viewer is connected, from a time before now.
    case endless(delay: Int64)
    /// An endless stream from an instant, of a rendition; nil: of the channel.
    case endlessSince(RenditionID?, Instant)
}

extension ViewerRoute {
    var channel: ChannelID {
        switch self {
        case .object(.segment(let channel, _, _)), .object(.initialization(let channel, _, _)),
            .object(.key(let channel, _)):
            channel
        case .window(let route): route.channel
        }
    }

    /// The time that a request for this resource asks for.
    ///
    /// The switch has no default case, so that a new kind of resource cannot be forgotten: a token that is
    /// limited in time would give access to all of it.
    func requestedTime(
        _ request: HTTPRequest, zone: @escaping InstantReading.Zone,
    ) throws(ParameterError) -> RequestedTime {
        switch self {
        case .object(.segment(_, let rendition, let name)):
            .segment(rendition, start: Instant(milliseconds: name.startMilliseconds))
        case .object(.initialization), .object(.key): .none
        case .window(let route) where route.resource == .picture:
            try PictureParameters(query: request.query, zone: zone).requestedTime()
        case .window(let route) where route.resource == .recordingStatus:
            try CoverageParameters(query: request.query, zone: zone).requestedTime
        case .window(let route):
            try route.requestedTime(
                ViewerParameters(query: request.query, dialect: route.dialect, zone: zone))
        }
    }
}

extension WindowRoute {
    fileprivate func requestedTime(_ parameters: ViewerParameters) -> RequestedTime {
        let span = parameters.window.span
        return switch resource {
        case .media(let id), .keyFrames(let id): RequestedTime(span, of: id)
        case .index, .master, .single, .since, .transportStream, .movie, .thumbnails:
            RequestedTime(span, of: parameters.rendition)
        // These are checked by parameters of their own.
        case .picture, .recordingStatus: .none
        case .endlessStream:
            switch span {
            case .timeshift(let delay), .sliding(_, let delay): .endless(delay: delay)
            case .closed(let begin, nil), .event(let begin, nil): .endlessSince(parameters.rendition, begin)
            case .closed(let begin, let end), .event(let begin, let end):
                .window(parameters.rendition, begin: begin, end: end, grows: true)
            }
        }
    }
}

extension RequestedTime {
    fileprivate init(_ span: WindowRequest.Span, of rendition: RenditionID?) {
        switch span {
        case .closed(let begin, let end):
            self = .window(rendition, begin: begin, end: end, grows: false)
        case .event(let begin, let end): self = .window(rendition, begin: begin, end: end, grows: true)
        case .sliding(let length, let delay): self = .live(delay: delay, length: length, isShifted: false)
        case .timeshift(let delay): self = .live(delay: delay, length: nil, isShifted: true)
        }
    }
}
