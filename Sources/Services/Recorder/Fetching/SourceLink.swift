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

/// A playlist that was fetched and read.
struct FetchedPlaylist: Sendable {
    var playlist: Playlist
    var notes: [Note]
    /// The URL after redirects: the base of relative ones.
    var base: HTTPURL
    var arrival: Arrival
}

/// Why a playlist could not be had, in words for the operator.
struct PlaylistFailure: Error, Sendable, CustomStringConvertible {
    var description: String
    /// The source's session is over: the multivariant playlist must be asked for again.
    var needsReload = false
    var isUnreachable = false
}

extension SourceLink {
    /// Fetches and reads a playlist.
    ///
    /// `imports` are the variables of the multivariant playlist that named it (RFC 8216bis §4.4.2.3).
    func playlist(
        _ url: HTTPURL, now: HostClock, fresh: Bool = false, imports: [String: String] = [:],
    ) async throws(PlaylistFailure) -> FetchedPlaylist {
        let body = try await fetch(url, fresh: fresh)
        let arrival = Arrival(by: now)
        guard body.status.rawValue == 200 else {
            throw PlaylistFailure(
                description: "the source answered \(body.status.rawValue)",
                needsReload: [401, 403, 404, 410].contains(body.status.rawValue), isUnreachable: true)
        }
        do {
            let base = try HTTPURL(body.head.effectiveURL)
            let read = try Playlist.reading(
                body.bytes, source: VariableSource(url: body.head.effectiveURL, imports: imports))
            return FetchedPlaylist(playlist: read.playlist, notes: read.notes, base: base, arrival: arrival)
        } catch {
            throw PlaylistFailure(description: "\(error)")
        }
    }

    private func fetch(_ url: HTTPURL, fresh: Bool) async throws(PlaylistFailure) -> FetchedBody {
        do {
            return try await session.get(
                url.absoluteString,
                TransferOptions(
                    byteLimit: Limits.playlistBytes, acceptCompressed: true, totalTimeout: .seconds(15),
                    freshConnection: fresh))
        } catch {
            throw PlaylistFailure(description: "\(error)", isUnreachable: true)
        }
    }
}
