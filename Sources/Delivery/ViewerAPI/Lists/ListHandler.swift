import Catalogue
import Concurrency
import HTTP
import JSON
import Logging
import Playback
import Timeline

/// Answers what apps import: lists of channels and the guide.
final class ListHandler: Sendable {
    let channels: ListedChannels
    let index: TimelineIndex
    let windows: WindowHandler
    let scope: TimeScope
    /// What absolute URLs begin with; nil: the server that the request names.
    private let publicBase: PublicBase?
    let maxWindowSeconds: Int64
    let clock: HostClock
    private let logger: Logger

    init(
        catalogue: Catalogue, index: TimelineIndex, windows: WindowHandler, scope: TimeScope,
        publicBase: PublicBase?,
        maxWindowSeconds: Int64, clock: HostClock, logger: Logger,
    ) {
        channels = ListedChannels(catalogue: catalogue, clock: clock)
        (self.index, self.windows, self.scope) = (index, windows, scope)
        self.publicBase = publicBase
        self.maxWindowSeconds = maxWindowSeconds
        self.clock = clock
        self.logger = logger
    }

    /// The answer to a request without its token, which stands in the URLs of the answer.
    func answer(_ request: HTTPRequest, _ route: ListRoute, to viewer: ViewerAccess) async -> HTTPResponse {
        do {
            return try Self.negotiated(try await list(request, route, viewer), with: request)
        } catch let error as ParameterError {
            return Problem(error).answer()
        } catch let error as Problem {
            return error.answer()
        } catch {
            logger.warning("Cannot answer a list", metadata: ["error": "\(error)"])
            guard let error = error as? CatalogueError else { return Problem.unreadableList.answer() }
            return Problem(.catalogue(error)).answer()
        }
    }

    private func list(
        _ request: HTTPRequest, _ route: ListRoute, _ viewer: ViewerAccess
    ) async throws -> HTTPResponse {
        guard let items = QueryItems(reading: request.query, skipsUnreadable: true) else {
            throw ParameterError("query", QueryItems.refusal)
        }
        let query = ListQuery(items: items)
        // Writing all channels takes too long for the thread of the server.
        return try await onAnotherThread { () async throws in
            try await list(request, route, query, viewer)
        }
    }

    private func list(
        _ request: HTTPRequest, _ route: ListRoute, _ query: ListQuery, _ viewer: ViewerAccess
    ) async throws -> HTTPResponse {
        switch route {
        case .channels:
            let flavour =
                try query.choice("flavour", CatchupFlavour.self)
                ?? query.choice("flavor", CatchupFlavour.self) ?? .default
            let password = PercentEncoding.encoded(viewer.password)
            return try await playlist(request, flavour, ("viewer", password), viewer)
        case .guide: return try await guide(viewer)
        case .xtream(let route): return try await xtream(request, route, query, viewer)
        case .unknown: return Fields.noSuchResource
        }
    }

    func playlist(
        _ request: HTTPRequest, _ flavour: CatchupFlavour, _ credentials: (user: String, password: String),
        _ viewer: ViewerAccess, fileExtension: String = "m3u8", guide: String = "/iptv/guide.xml",
    ) async throws -> HTTPResponse {
        let (base, prefix) = (try base(request).text, viewer.prefix)
        let text = ChannelListText(
            // The paths of the Xtream Codes API have the password, and no prefix.
            base: flavour == .xc ? base : base + prefix, flavour: flavour, credentials: credentials,
            fileExtension: fileExtension, guide: base + prefix + guide, now: clock.now())
        return Self.document(
            text.text(try await listed(for: viewer)), type: "audio/x-mpegurl; charset=utf-8",
            variesByHost: publicBase == nil)
    }

    func guide(_ viewer: ViewerAccess) async throws -> HTTPResponse {
        Self.document(GuideText.text(try await listed(for: viewer)), type: "application/xml; charset=utf-8")
    }

    /// The channels that a viewer may see.
    func listed(for viewer: ViewerAccess) async throws(CatalogueError) -> [ListedChannel] {
        try await channels.all().filter(viewer.permits)
    }

    /// What absolute URLs begin with.
    func base(_ request: HTTPRequest) throws(Problem) -> PublicBase {
        guard let base = publicBase ?? PublicBase(host: request.headers["Host"]) else {
            throw Problem(.badRequest, "the Host of the request is not a host name or address")
        }
        return base
    }

    /// A document that apps load again from time to time.
    static func document(_ text: String, type: String, variesByHost: Bool = false) -> HTTPResponse {
        document(Array(text.utf8), type: type, variesByHost: variesByHost)
    }

    static func document(_ bytes: [UInt8], type: String, variesByHost: Bool = false) -> HTTPResponse {
        var headers = Fields.common
        headers["Content-Type"] = type
        headers["Cache-Control"] = "private, no-cache"
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Vary"] = variesByHost ? "Host, Accept-Encoding" : "Accept-Encoding"
        return HTTPResponse(status: .ok, headers: headers, body: .bytes(bytes))
    }

    /// A document with an entity tag, in the coding that the client takes, or 304.
    private static func negotiated(
        _ response: HTTPResponse, with request: HTTPRequest,
    ) throws(PlaybackError) -> HTTPResponse {
        guard response.status == .ok, case .bytes(let bytes) = response.body else { return response }
        let text = try RenderedPlaylist(bytes)
        let coding = ContentCoding.chosen(for: request.headers.values(of: "Accept-Encoding")) ?? .identity
        let tag = EntityTag(strong: coding == .gzip ? "\(text.tag)-gz" : text.tag)
        var answer = response
        answer.headers["ETag"] = tag.fieldValue
        switch Preconditions.evaluated(
            method: request.method, headers: request.headers, current: Validators(entityTag: tag))
        {
        case .notModified: answer.status = .notModified
        case .preconditionFailed: return Problem(.preconditionFailed, "the list has changed").answer()
        case .proceed:
            guard coding == .gzip else { break }
            answer.headers["Content-Encoding"] = coding.rawValue
            answer.body = .pieces(try text.gzip())
        }
        return answer
    }
}

/// Parameters of a list.
struct ListQuery {
    let items: QueryItems

    /// A parameter that may be given once; nil when it is absent.
    func value(_ name: String) throws(ParameterError) -> String? {
        if items.unreadableNames.contains(name) {
            throw ParameterError(name, "\(name) has a malformed escape or is not UTF-8")
        }
        if items.repeatedNames.contains(name) {
            throw ParameterError(name, "\(name) is given more than once")
        }
        return items[name]
    }

    /// One of the words of an enumeration.
    func choice<Word>(_ name: String, _: Word.Type) throws(ParameterError) -> Word?
    where Word: RawRepresentable<String> & CaseIterable {
        guard let text = try value(name) else { return nil }
        if let word = Word(rawValue: text) { return word }
        let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
        throw ParameterError(name, "\(name) must be one of \(words)")
    }
}

extension Problem {
    fileprivate static let unreadableList = Problem(
        .internalServerError, "the list could not be prepared")
}
