import Compression
import Concurrency
import HLS
import HTTP
import HTTPClient
import Timeline

/// One source as it is asked: a session with its headers and cookies, and how its URLs are resolved.
struct SourceClient: Sendable {
    let settings: SourceSettings
    let session: HTTPSession
    let url: HTTPURL

    init(_ settings: SourceSettings, client: HTTPClient, policy: AddressPolicy) throws {
        self.settings = settings
        url = try HTTPURL(settings.url)
        var headers = HTTPHeaders()
        for (name, value) in settings.headers.sorted(by: { $0.key < $1.key }) { headers.append(name, value) }
        session = try client.makeSession(
            SessionOptions(
                source: url.absoluteString, headers: headers,
                headerHosts: settings.headerHosts.compactMap { HeaderHost($0) },
                maxConnections: settings.maxConnections,
                allowInvalidCertificate: settings.allowInvalidCertificate,
                ipVersion: settings.ipVersion == 4 ? .v4 : settings.ipVersion == 6 ? .v6 : .any,
                userAgent: "Backcast", addressPolicy: policy))
    }

    /// What a reference in a playlist means.
    func resolve(_ reference: String, against base: HTTPURL) throws -> HTTPURL {
        try base.resolving(reference, inheritingQuery: settings.inheritQuery)
    }
}

extension SourceClient {
    /// Fetches a playlist, and reads it unless it is the one that is known.
    func playlist(_ request: PlaylistRequest, clock: HostClock) async throws(SourceError) -> PlaylistAnswer {
        let url = request.url ?? self.url
        let known = request.known.flatMap { $0.url == url ? $0 : nil }
        let conditions = request.isConditional ? known?.conditions ?? HTTPHeaders() : HTTPHeaders()
        let body = try await fetch(url, isFresh: request.isFresh, conditions)
        let arrival = Moment(clock)
        if body.status == .notModified, !conditions.fields.isEmpty { return .unchanged(at: arrival) }
        guard body.status.hasWholeContent else { throw .refused(status: body.status.rawValue) }
        let version = try? PlaylistVersion(body, of: url)
        if let version, request.knows(version.digest, of: url) { return .unchanged(at: arrival) }
        do {
            let base = try HTTPURL(body.head.effectiveURL)
            // Some origins compress what is compressed already, or do not say that they do.
            let read = try Playlist.reading(
                GzipReader.plain(body.bytes, limit: Limits.playlistBytes),
                source: VariableSource(url: body.head.effectiveURL, imports: request.inherited.variables))
            var fetched = FetchedPlaylist(
                playlist: request.inherited.applied(to: read.playlist), base: base, arrival: arrival,
                responseTime: body.finishedAt - body.head.firstRequestAt, version: version, notes: read.notes)
            if base != url { fetched.redirectTarget = base }
            return .playlist(fetched)
        } catch {
            throw .unusable("\(error)")
        }
    }

    private func fetch(
        _ url: HTTPURL, isFresh: Bool, _ conditions: HTTPHeaders,
    ) async throws(SourceError) -> FetchedBody {
        do {
            return try await session.fetch(
                url.absoluteString,
                TransferOptions(
                    byteLimit: Limits.playlistBytes, acceptCompressed: true, headers: conditions,
                    totalTimeout: Limits.playlistTimeout, queueTimeout: Limits.playlistTimeout,
                    priority: .urgent, freshConnection: isFresh))
        } catch {
            throw error.isOwnLimit ? .notAsked("\(error)") : .unreachable("\(error)")
        }
    }

    /// The identity of a source in the catalogue and in the status: its URL without user info and
    /// query.
    static func identity(_ text: String) -> String {
        (try? HTTPURL(text))?.identity ?? unreadable
    }

    /// A source in logs: also without what may be secret in its path.
    static func logged(_ text: String) -> String {
        (try? HTTPURL(text))?.description ?? unreadable
    }

    private static let unreadable = "a URL that cannot be read"
}
