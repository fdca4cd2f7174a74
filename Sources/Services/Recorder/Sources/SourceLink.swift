import Concurrency
import HLS
import HTTP
import HTTPClient
import Timeline

/// One source as it is asked: a session with its headers and cookies, and how its URLs are resolved.
struct SourceLink: Sendable {
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
                host: url.host, headers: headers,
                headerHosts: settings.headerHosts.compactMap { HostPattern($0) },
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

extension SourceLink {
    /// Fetches and reads a playlist.
    ///
    /// `variables` are those of the multivariant playlist that named it (RFC 8216bis §4.4.2.3).
    func playlist(
        _ url: HTTPURL, clock: HostClock, isFresh: Bool = false, variables: [String: String] = [:],
    ) async throws(SourceError) -> FetchedPlaylist {
        let asked = clock.steady()
        let body = try await fetch(url, isFresh: isFresh)
        let arrival = Moment(date: clock.now(), steady: clock.steady())
        guard body.status.rawValue == 200 else { throw .refused(status: body.status.rawValue) }
        do {
            let base = try HTTPURL(body.head.effectiveURL)
            let read = try Playlist.reading(
                body.bytes, source: VariableSource(url: body.head.effectiveURL, imports: variables))
            return FetchedPlaylist(
                playlist: read.playlist, base: base, arrival: arrival, lead: arrival.steady - asked)
        } catch {
            throw .unusable("\(error)")
        }
    }

    private func fetch(_ url: HTTPURL, isFresh: Bool) async throws(SourceError) -> FetchedBody {
        do {
            return try await session.get(
                url.absoluteString,
                TransferOptions(
                    byteLimit: Limits.playlistBytes, acceptCompressed: true,
                    totalTimeout: Limits.playlistTimeout, queueTimeout: Limits.playlistTimeout,
                    priority: .urgent, freshConnection: isFresh))
        } catch {
            throw error.isOwnLimit ? .notAsked("\(error)") : .unreachable("\(error)")
        }
    }

    /// A URL without user info and query: those may be secrets.
    static func redacted(_ text: String) -> String {
        (try? HTTPURL(text))?.description ?? "a URL that cannot be read"
    }
}
